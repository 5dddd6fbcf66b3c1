import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../src/storage/database.ts'
import { Statement, sql } from '../../src/storage/statement.ts'

/** Every row of every table as text, bytes as latin1, and the bytes of an SQLite file and WAL. */
export async function dumpStore(db: Database, dataDir: string): Promise<string> {
  const names = await db.run(
    db.kind === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_schema where type = 'table'`
      : sql<{ name: string }>`
          select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  assert.ok(names.length >= 7)
  const tables = await db.transaction(
    names.map(({ name }) => new Statement({ strings: [`select * from ${name}`], slots: [] })),
  )
  const rows = JSON.stringify(tables, (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )
  const files = db.kind === 'sqlite' ? globSync(join(dataDir, 'trawl.db*')) : []
  return [rows, ...files.map((file) => readFileSync(file, 'latin1'))].join('\n')
}

/** A secret, and the bytes it encodes, in every form it could be written in. */
export function formsOf(secret: string): string[] {
  const plain = secret.replace(/^(whsec|trawl)_/, '').replace(/=+$/, '')
  const bytes = [Buffer.from(secret), Buffer.from(plain, 'base64')]
  const written = bytes.flatMap((one) =>
    (['hex', 'base64', 'base64url'] as const).map((encoding) => one.toString(encoding)),
  )
  const texts = [plain, encodeURIComponent(plain), ...written]
  return [...new Set(texts.map((text) => text.replace(/=+$/, '')))]
}

/** The three forms that base64 gives a text inside a longer one, without the ambiguous ends. */
export function base64FormsWithin(secret: string): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.from(' '.repeat(offset) + secret).toString('base64')
    const from = Math.ceil((offset * 8) / 6)
    return text.replace(/=+$/, '').slice(from === 0 ? 0 : from, -1)
  })
}

export function assertNone(where: string, text: string, forms: readonly string[]): void {
  for (const form of forms) {
    const at = text.indexOf(form)
    assert.equal(at, -1, `${where} has ${form}: ${text.slice(Math.max(0, at - 150), at + 80)}`)
  }
}
