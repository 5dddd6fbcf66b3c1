import type { Sealer, SealState } from '../../runtime/crypto/seal.ts'
import { CannotUnseal, sealHeadCharacters } from '../../runtime/crypto/seal.ts'
import type { Database } from '../database.ts'
import { commaSeparated, type SqlValue, Statement, sql, sqlValue } from '../statement.ts'
import { inGroups, rowsAtOnce } from '../text-groups.ts'
import {
  openColumn,
  type SealedColumn,
  type SealedTable,
  type SealedTableName,
  sealColumn,
  sealedTableNames,
  sealedTables,
} from './sealed-columns.ts'

export interface ResealCounts {
  sealed: number
  /** Texts that none of the keys decrypts; they stay unchanged. */
  unreadable: number
}

interface ResealOrder {
  /** The states of texts to encrypt again. With `plain`, texts of unknown keys are counted too. */
  from: readonly SealState[]
  /** All of them unless named. */
  tables?: readonly SealedTableName[]
  onProgress?: (table: string, counts: ResealCounts) => void
  signal?: AbortSignal
}

/**
 * Walks through the encrypted columns once, in primary key order, and encrypts again the texts that are
 * in one of the given states. It is safe beside running processes: it replaces a text only if that is
 * unchanged since it was read. It may be killed at any moment.
 */
export async function reseal(
  { db, sealer }: { db: Database; sealer: Sealer },
  { from, tables = sealedTableNames, onProgress, signal }: ResealOrder,
): Promise<ResealCounts> {
  const counts: ResealCounts = { sealed: 0, unreadable: 0 }
  for (const name of tables) {
    const table: SealedTable = sealedTables[name]
    let after: HeadRow | undefined
    for (;;) {
      const rows = await db.run(listHeads(name, table, after))
      for (const group of inGroups(rows.flatMap((row) => dueTexts(row, name, table)))) {
        await resealGroup(group)
        onProgress?.(name, counts)
        if (signal?.aborted) return counts
      }
      if (signal?.aborted) return counts
      if (rows.length < rowsAtOnce) break
      after = rows.at(-1)
    }
  }
  return counts

  function dueTexts(row: HeadRow, name: string, table: SealedTable): StoredText[] {
    const keys = table.key.map((_, index) => row[`key_${index}`] ?? null)
    const id = keys[table.id ? table.key.indexOf(table.id) : 0]
    return table.columns.flatMap((column, index) => {
      const head = row[`head_${index}`]
      if (typeof head !== 'string' || !from.includes(sealer.stateOf(head))) return []
      const place = { id: String(id), accountId: String(row['account_id']) }
      const bytes = Number(row[`bytes_${index}`])
      return [{ name, table, column, keys, place, bytes }]
    })
  }

  async function resealGroup(group: readonly StoredText[]): Promise<void> {
    const read = await db.transaction(group.map(readText))
    const updates = group.flatMap((one, index) => {
      const text = read[index]?.[0]
      const state = text === undefined ? undefined : sealer.stateOf(text)
      if (state === 'unknown') counts.unreadable++
      // The row may have been deleted or replaced since its head was read.
      if (text === undefined || !state || !from.includes(state)) return []
      const fresh = sealAnew(one, text)
      return fresh === undefined ? [] : [replaceText(one, text, fresh)]
    })
    const replaced = await db.transaction(updates)
    counts.sealed += replaced.flat().length
  }

  function sealAnew({ name, column, place }: StoredText, text: string): string | undefined {
    const where = `${name}.${column}` as SealedColumn
    try {
      return sealColumn(sealer, where, place, openColumn(sealer, where, place, text))
    } catch (error) {
      if (!(error instanceof CannotUnseal)) throw error
      counts.unreadable++
      return undefined
    }
  }
}

/** Columns `key_0`, `head_0`, `bytes_0` and so on, and `account_id`. */
type HeadRow = Record<string, SqlValue>

/** Locates one text: table, column and primary key of its row. */
interface StoredText {
  name: string
  table: SealedTable
  column: string
  keys: readonly SqlValue[]
  place: { id: string; accountId: string }
  bytes: number
}

/** Reads only the first characters of each text: results may have megabytes. */
function listHeads(
  name: string,
  table: SealedTable,
  after: HeadRow | undefined,
): Statement<HeadRow> {
  const wanted = [
    ...table.key.map((key, index) => `${key} as key_${index}`),
    `${table.account} as account_id`,
    ...table.columns.flatMap((column, index) => [
      `substr(${column}, 1, ${sealHeadCharacters}) as head_${index}`,
      `octet_length(${column}) as bytes_${index}`,
    ]),
  ]
  const keys = table.key.join(', ')
  const isAfter = after
    ? sql`where (${text(keys)}) > (${commaSeparated(table.key.map((_, index) => after[`key_${index}`] ?? null))})`
    : text('')
  return sql<HeadRow>`
    select ${text(wanted.join(', '))} from ${text(name)} ${isAfter}
    order by ${text(keys)} limit ${rowsAtOnce}`
}

const readText = (one: StoredText): Statement<string> =>
  sqlValue`select ${text(one.column)} from ${text(one.name)} where ${isRow(one)}`

const replaceText = (one: StoredText, before: string, fresh: string): Statement<unknown> =>
  sql`
    update ${text(one.name)} set ${text(one.column)} = ${fresh}
    where ${isRow(one)} and ${text(one.column)} = ${before}
    returning 1 as replaced`

const isRow = ({ table, keys }: StoredText): Statement<unknown> =>
  sql`(${text(table.key.join(', '))}) = (${commaSeparated(keys)})`

/** Raw SQL. It must come from `sealedTables`, never from a value, or it would be an SQL injection. */
const text = (fragment: string): Statement<unknown> =>
  new Statement({ strings: [fragment], slots: [] })
