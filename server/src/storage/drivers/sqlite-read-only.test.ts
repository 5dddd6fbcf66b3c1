import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReadOnly } from './sqlite-read-only.ts'

const cases = [
  { sql: 'select 1', isRead: true },
  { sql: '\n  -- why\n  SELECT update_count from t', isRead: true },
  { sql: "select 'delete'", isRead: true },
  { sql: 'with due as (select id from t) select * from due', isRead: true },
  { sql: 'with due as (select id from t) update t set a = 1', isRead: false },
  { sql: 'WITH x AS (select 1)\nDELETE from t', isRead: false },
  { sql: 'insert into t select 1', isRead: false },
  { sql: 'replace into t values (1)', isRead: false },
  { sql: 'create table t (a text)', isRead: false },
  { sql: '', isRead: false },
]
for (const { sql, isRead } of cases) {
  test(`${JSON.stringify(sql)} ${isRead ? 'needs no' : 'takes the'} write lock`, () => {
    assert.equal(isReadOnly(sql), isRead)
  })
}
