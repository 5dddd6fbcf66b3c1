import { type JobRequest, type ListedJobRequest, toListedJobRequest } from '../../domain/job/job.ts'
import type { ScrapeRequest } from '../../domain/scrape/scrape-request.ts'
import { type ListedRequest, toListedRequest } from '../../domain/task/listed-task.ts'
import type { Sealer } from '../../runtime/crypto/seal.ts'
import { openColumn, type SealedPlace, sealColumn } from '../secrets/sealed-columns.ts'
import { sql } from '../statement.ts'

/** What lists show of requests, which has a column of its own: decrypting whole requests takes long. */
interface Listings {
  tasks: { request: ScrapeRequest; listed: ListedRequest }
  jobs: { request: JobRequest; listed: ListedJobRequest }
}

export type ListedTable = keyof Listings

/** The request is read where a row of an earlier version has no listing yet. */
export interface StoredListing {
  listing: string | null
  request: string | null
}

/** What a search by a part of the URL reads of a row. */
export interface UrlRow extends StoredListing {
  id: string
  accountId: string
  createdAtMs: number
  /** Origin and path as they are; null for a batch. */
  url: string | null
  /** 0 for a row that has not all that was asked for beside the URL. */
  isCandidate: number
}

export const taskListing = sql`
    tasks.listing, case when tasks.listing is null then tasks.request end as request`

export const jobListing = sql`
    jobs.listing, case when jobs.listing is null then jobs.request end as request`

const toListed: {
  [Table in ListedTable]: (request: Listings[Table]['request']) => Listings[Table]['listed']
} = { tasks: toListedRequest, jobs: toListedJobRequest }

export const sealListing = <Table extends ListedTable>(
  sealer: Sealer,
  table: Table,
  place: SealedPlace,
  request: Listings[Table]['request'],
): string => sealColumn(sealer, `${table}.listing`, place, JSON.stringify(toListed[table](request)))

/** Throws `CannotUnseal` if the row cannot be decrypted. */
export function openListing<Table extends ListedTable>(
  sealer: Sealer,
  table: Table,
  place: SealedPlace,
  { listing, request }: StoredListing,
): Listings[Table]['listed'] {
  return listing === null
    ? toListed[table](JSON.parse(openColumn(sealer, `${table}.request`, place, request ?? '')))
    : JSON.parse(openColumn(sealer, `${table}.listing`, place, listing))
}
