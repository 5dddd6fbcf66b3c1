import { z } from 'zod'

/** The page of a list that a caller asks for. */
export interface PaginationQuery {
  page: number
  pageSize: number
}

export interface PaginatedList<Item> {
  items: Item[]
  totalCount: number
}

/** A page of a list. All items are counted only if the page does not tell: one that is not full is the last. */
export async function withTotal<Item>(
  items: Item[],
  { page, pageSize }: PaginationQuery,
  count: () => Promise<readonly number[]>,
): Promise<PaginatedList<Item>> {
  const isLast = items.length < pageSize && (items.length > 0 || page === 1)
  const [totalCount = 0] = isLast ? [(page - 1) * pageSize + items.length] : await count()
  return { items, totalCount }
}

/** A whole number from a query string, within bounds. */
function wholeNumber(bounds: { min: number; max?: number; byDefault: number }) {
  const { min, max, byDefault } = bounds
  const limits = { minimum: min, ...(max !== undefined && { maximum: max }) }
  const digits = z
    .string()
    .refine((text) => /^[+-]?\d{1,15}$/.test(text), {
      params: { type: 'int_parsing' },
      message: 'Input should be a valid integer, unable to parse string as an integer',
    })
    // A query holds text only; its JSON Schema says what the text has to stand for.
    .meta({ type: 'integer', ...limits, default: byDefault })
  const number = z.int().min(min)
  return digits
    .transform(Number)
    .pipe(max === undefined ? number : number.max(max))
    .default(byDefault)
}

export const pageQuery = ({ sizeMax, sizeByDefault }: { sizeMax: number; sizeByDefault: number }) =>
  z.object({
    page: wholeNumber({ min: 1, byDefault: 1 }).describe('Which page, from 1.'),
    page_size: wholeNumber({ min: 1, max: sizeMax, byDefault: sizeByDefault }).describe(
      'How many on a page.',
    ),
  })

export const PageQuery = pageQuery({ sizeMax: 100, sizeByDefault: 100 })

type AskedPage = z.output<typeof PageQuery>

export const pageOf = ({ page, page_size }: AskedPage): PaginationQuery => ({
  page,
  pageSize: page_size,
})

/** What every list says about its page. */
export const pageFields = {
  page: z.int().describe('The page asked for.'),
  page_size: z.int(),
  page_count: z.int().describe('How many pages there are; 0 when there is nothing.'),
}

/** The same for a list that is counted and searched only so far. */
export const cappedPageFields = {
  ...pageFields,
  is_capped: z
    .boolean()
    .describe('There are more than 10 000, which is as far as is counted and searched.'),
}

/** The envelope of a list; a page past the end is empty. */
export const pageEnvelope = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), ...pageFields })

export const toEnvelope = <Item, Shown>(
  { items, totalCount }: PaginatedList<Item>,
  { page, page_size }: AskedPage,
  show: (item: Item) => Shown,
) => ({
  items: items.map(show),
  page,
  page_size,
  page_count: Math.ceil(totalCount / page_size),
})

/** The envelope of a page of a list that is in memory as a whole. */
export const envelopeOfAll = <Item, Shown>(
  all: readonly Item[],
  query: AskedPage,
  show: (item: Item) => Shown,
) => {
  const from = (query.page - 1) * query.page_size
  const items = all.slice(from, from + query.page_size)
  return toEnvelope({ items, totalCount: all.length }, query, show)
}
