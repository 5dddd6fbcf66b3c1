import { foldCase } from '../../domain/url-part.ts'
import { CannotUnseal, type Sealer } from '../../runtime/crypto/seal.ts'
import { type ListedTable, openListing, type UrlRow } from '../../storage/queries/listings.ts'

/** Rows to decrypt and to compare with a part of a URL. */
export interface MatchJob {
  table: ListedTable
  /** In lower case. */
  part: string
  rows: readonly UrlRow[]
}

/** The ids of those whose URL, as it is shown, contains the part. It blocks: call it in a thread. */
export const matchUrls = (sealer: Sealer, { table, part, rows }: MatchJob): string[] =>
  rows.filter((row) => foldCase(shownUrl(sealer, table, row)).includes(part)).map(({ id }) => id)

function shownUrl(sealer: Sealer, table: ListedTable, row: UrlRow): string {
  try {
    const listed = openListing(sealer, table, row, row)
    if ('url' in listed) return listed.url
    return listed.crawl?.seed.url ?? listed.map?.url ?? ''
  } catch (error) {
    if (error instanceof CannotUnseal) return row.url ?? ''
    throw error
  }
}
