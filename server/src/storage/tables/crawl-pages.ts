import type { Sealer } from '../../runtime/crypto/seal.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import { openColumn, sealColumn } from '../secrets/sealed-columns.ts'
import { jsonElements, type Statement, sql, sqlValue } from '../statement.ts'

export interface CrawlPage {
  jobId: string
  accountId: string
  /** Identifies the page within its crawl. */
  key: string
  url: string
  /** 1 for the seed page. */
  depth: number
  /** The position of the first page that links to it; -1 if none does. */
  parentPosition: number
  /** The place of the link on that page. */
  linkIndex: number
}

export const insertSeed = (sealer: Sealer, page: CrawlPage) =>
  sql<never>`
    insert into crawl_pages
      (job_id, url_key, account_id, url, depth, parent_position, link_index, position)
    values ${row(sealer, page, 0)}`

const rowsPerInsert = 500

/**
 * Adds found pages, and the ends of redirects as pages that are seen. The rows are sorted, so that
 * concurrent inserts of the same pages wait for each other instead of deadlocking. Sealing the ten
 * thousand links of a page takes a tenth of a second.
 */
export async function addPages(
  sealer: Sealer,
  { found, ends }: { found: readonly CrawlPage[]; ends: readonly CrawlPage[] },
): Promise<Statement<never>[]> {
  const endByKey = new Map(ends.map((end) => [end.key, end]))
  const pages = [...found.filter(({ key }) => !endByKey.has(key)), ...ends].toSorted(byKey)
  const turns = new Turns(pages[0]?.accountId)
  const statements: Statement<never>[] = []
  let rows: FoundValues[] = []
  const insertRows = () => {
    if (rows.length > 0) statements.push(insertFound(rows))
    rows = []
  }
  for (const page of pages) {
    if (turns.isOver) await turns.next()
    if (endByKey.has(page.key)) {
      insertRows()
      statements.push(insertRedirectEnd(sealer, page))
    } else if (rows.push(foundValues(sealer, page)) === rowsPerInsert) insertRows()
  }
  insertRows()
  return statements
}

const byKey = (one: CrawlPage, other: CrawlPage): number => (one.key < other.key ? -1 : 1)

type FoundValues = readonly (string | number)[]

const foundValues = (sealer: Sealer, page: CrawlPage): FoundValues => [
  page.jobId,
  page.key,
  page.accountId,
  sealUrl(sealer, page),
  page.depth,
  page.parentPosition,
  page.linkIndex,
]

/**
 * A page that is known keeps the first link to it, by the order of the linking pages. The rows are one
 * value: thousands of them would take the event loop as long as sealing does, and the store longer.
 */
const insertFound = (rows: readonly FoundValues[]) =>
  sql<never>`
    insert into crawl_pages
      (job_id, url_key, account_id, url, depth, parent_position, link_index)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, cast(value ->> 4 as integer),
           cast(value ->> 5 as integer), cast(value ->> 6 as integer)
    from ${jsonElements}(${JSON.stringify(rows)})
    where true
    on conflict (job_id, url_key) do update
      set parent_position = excluded.parent_position, link_index = excluded.link_index
      where crawl_pages.position is null and crawl_pages.depth = excluded.depth
        and (excluded.parent_position, excluded.link_index)
            < (crawl_pages.parent_position, crawl_pages.link_index)`

/**
 * Marks the end of a redirect as seen, so that no link leads to it again. It has no place among the
 * crawl's pages: its position is negative. A page of the same depth stays a page of its own, whichever of
 * the two is fetched first.
 */
const insertRedirectEnd = (sealer: Sealer, page: CrawlPage) =>
  sql<never>`
    insert into crawl_pages
      (job_id, url_key, account_id, url, depth, parent_position, link_index, position)
    values ${row(sealer, page, -1 - page.parentPosition)}
    on conflict (job_id, url_key) do update
      set position = excluded.position, depth = excluded.depth
      where crawl_pages.position is null and crawl_pages.depth > excluded.depth`

const row = (sealer: Sealer, page: CrawlPage, position: number) =>
  sql`(${page.jobId}, ${page.key}, ${page.accountId}, ${sealUrl(sealer, page)}, ${page.depth},
       ${page.parentPosition}, ${page.linkIndex}, ${position})`

const sealUrl = (sealer: Sealer, { key, accountId, url }: CrawlPage): string =>
  sealColumn(sealer, 'crawl_pages.url', { id: key, accountId }, url)

export interface FoundPage {
  key: string
  url: string
  depth: number
  parentUrl: string | null
}

/** The found pages of the lowest depth, in the order in which they get their positions. */
export const listFound = (
  sealer: Sealer,
  job: { id: string; accountId: string },
  limit: number,
): Statement<FoundPage> =>
  sql<FoundRow>`
    select found.url_key as key, found.url, found.depth, parents.url_key as "parentKey",
           parents.url as "parentUrl"
    from crawl_pages as found
    left join crawl_pages as parents
      on parents.job_id = found.job_id and parents.position = found.parent_position
    where found.job_id = ${job.id} and found.position is null
      and found.depth = (select min(depth) from crawl_pages
                         where job_id = ${job.id} and position is null)
    order by found.parent_position, found.link_index
    limit ${limit}`.map(({ parentKey, parentUrl, ...found }) => ({
    ...found,
    url: openUrl(sealer, job.accountId, found.key, found.url),
    parentUrl: parentKey && parentUrl && openUrl(sealer, job.accountId, parentKey, parentUrl),
  }))

interface FoundRow extends FoundPage {
  parentKey: string | null
}

const openUrl = (sealer: Sealer, accountId: string, key: string, sealed: string) =>
  openColumn(sealer, 'crawl_pages.url', { id: key, accountId }, sealed)

/** Returns a row if the page had no position yet. */
export const choosePage = (page: { jobId: string; key: string; position: number }) =>
  sql<{ position: number }>`
    update crawl_pages set position = ${page.position}
    where job_id = ${page.jobId} and url_key = ${page.key} and ${isFound}
    returning position`

/**
 * Without statistics PostgreSQL prefers the index of the found pages to the primary key, and would read
 * all found pages of the crawl; a condition that does not look like that index's keeps it from that.
 */
const isFound = sql`case when position is null then 1 else 0 end = 1`

/** The frontier is of no use once its crawl has ended. */
export const removeFrontier = (jobId: string) =>
  sql<never>`delete from crawl_pages where job_id = ${jobId}`

/** Forgets a found page that must not be fetched. */
export const removeFound = (page: { jobId: string; key: string }) =>
  sql<never>`
    delete from crawl_pages
    where job_id = ${page.jobId} and url_key = ${page.key} and ${isFound}`

/** How many pages are found and not chosen; an index has just these. */
export const countFound = (jobId: string) =>
  sqlValue<number>`
    select count(*) from crawl_pages where job_id = ${jobId} and position is null`

/** How many found pages of a depth come before those that a page links to. */
export const countFoundBefore = (page: { jobId: string; depth: number; parentPosition: number }) =>
  sqlValue<number>`
    select count(*) from crawl_pages
    where job_id = ${page.jobId} and position is null and depth = ${page.depth}
      and parent_position < ${page.parentPosition}`

/** Where a crawl has a page: the position of the end of a redirect is negative, of a found page null. */
export const findPlace = (jobId: string, key: string) =>
  sql<{ depth: number; position: number | null }>`
    select depth, position from crawl_pages
    where job_id = ${jobId} and url_key = ${key}`.quick()
