import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreRefused } from '../outages/store-refused.ts'
import { type Migration, planMigrations, readMigrations } from './migration.ts'

const known: Migration[] = ['tasks', 'webhooks', 'jobs'].map((purpose, index) => ({
  version: index + 1,
  purpose,
  text: '',
}))
const first = { version: 1, purpose: 'tasks' }
const second = { version: 2, purpose: 'webhooks' }
const third = { version: 3, purpose: 'jobs' }

const plans = [
  { store: 'an empty store', applied: [], plan: [1, 2, 3] },
  { store: 'a store one version behind', applied: [first, second], plan: [3] },
  { store: 'a store that is up to date', applied: [third, first, second], plan: [] },
]
for (const { store, applied, plan } of plans) {
  test(`${store} gets the migrations [${plan}]`, () => {
    const versions = planMigrations(known, applied).map(({ version }) => version)

    assert.deepEqual(versions, plan)
  })
}

const refusals = [
  { store: 'a newer schema', applied: [first, { version: 4, purpose: 'later' }], says: /newer/ },
  { store: "another program's migration", applied: [{ ...first, purpose: 'x' }], says: /unknown/ },
  { store: 'a missing migration', applied: [first, third], says: /lacks migration 2/ },
]
for (const { store, applied, says } of refusals) {
  test(`a store with ${store} is refused`, () => {
    assert.throws(
      () => planMigrations(known, applied),
      (error) => error instanceof StoreRefused && says.test(error.message),
    )
  })
}

test('the migrations of the repository are numbered from 1 without a gap', () => {
  const versions = readMigrations().map(({ version }) => version)

  assert.deepEqual(
    versions,
    versions.map((_, index) => index + 1),
  )
})

test('a migration locks a table, by renaming it, before it copies and drops it', () => {
  for (const { version, text } of readMigrations()) {
    for (const { groups: { table } = {} } of text.matchAll(/^drop table (?<table>\w+);$/gm)) {
      const renamedAt = text.indexOf(` rename to ${table};`)
      const copiedAt = text.indexOf(`from ${table};`)

      assert.ok(renamedAt !== -1 && renamedAt < copiedAt, `migration ${version}, table ${table}`)
    }
  }
})
