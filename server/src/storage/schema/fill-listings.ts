import { CannotUnseal } from '../../runtime/crypto/seal.ts'
import { type ListedTable, sealListing } from '../queries/listings.ts'
import { openColumn } from '../secrets/sealed-columns.ts'
import { type Statement, sql } from '../statement.ts'
import { findStoreProperty, putStoreProperty } from '../tables/store-properties.ts'
import { inGroups, rowsAtOnce } from '../text-groups.ts'
import type { RowUpgrade } from './row-upgrade.ts'

const property = 'listings_filled'

const tables = { tasks: sql`tasks`, jobs: sql`jobs` } satisfies Record<
  ListedTable,
  Statement<unknown>
>

/**
 * Gives tasks and jobs of earlier versions their listings, the newest first, which lists show first. Those
 * that cannot be decrypted get none.
 */
export const fillListings: RowUpgrade = async ({ db, sealer, log }, signal) => {
  if ((await db.run(findStoreProperty(property))).length > 0) return
  let filledCount = 0
  for (const table of Object.keys(tables) as ListedTable[]) {
    let after: string | undefined
    for (;;) {
      const heads = await db.run(listHeads(table, after))
      for (const group of inGroups(heads.filter(({ isDue }) => isDue === 1))) {
        await fill(table, group)
        if (signal.aborted) return
      }
      if (heads.length < rowsAtOnce) break
      after = heads.at(-1)?.id
    }
  }
  await db.run(putStoreProperty({ name: property, value: 'done' }))
  if (filledCount > 0)
    log.info({ rows: filledCount }, 'Prepared the rows of an earlier version for lists.')

  async function fill(table: ListedTable, group: readonly Head[]): Promise<void> {
    const rows = await db.transaction(group.map(({ id }) => readRequest(table, id)))
    const updates = rows.flat().flatMap((row) => {
      const listing = listingOf(table, row)
      return listing === undefined ? [] : [putListing(table, row.id, listing)]
    })
    filledCount += (await db.transaction(updates)).flat().length
  }

  function listingOf(table: ListedTable, { request, ...place }: RequestRow): string | undefined {
    try {
      const opened = openColumn(sealer, `${table}.request`, place, request)
      return sealListing(sealer, table, place, JSON.parse(opened))
    } catch (error) {
      if (error instanceof CannotUnseal) return undefined
      throw error
    }
  }
}

interface Head {
  id: string
  bytes: number
  isDue: number
}

interface RequestRow {
  id: string
  accountId: string
  request: string
}

/** Every row, as looking for those without a listing would take one statement through the whole table. */
const listHeads = (table: ListedTable, after: string | undefined) => sql<Head>`
    select id, octet_length(request) as bytes,
           case when listing is null then 1 else 0 end as "isDue"
    from ${tables[table]}
    where ${after === undefined ? sql`1 = 1` : sql`id < ${after}`}
    order by id desc
    limit ${rowsAtOnce}`

const readRequest = (table: ListedTable, id: string) => sql<RequestRow>`
    select id, account_id as "accountId", request from ${tables[table]} where id = ${id}`

const putListing = (table: ListedTable, id: string, listing: string) => sql<{ id: string }>`
    update ${tables[table]} set listing = ${listing} where id = ${id} and listing is null
    returning id`
