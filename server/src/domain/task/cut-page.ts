/** A part of a text, in UTF-16 code units. */
export interface TextRange {
  offset: number
  max_length: number
}

export interface TextSlice {
  text: string
  totalLength: number
}

/** The part of a page's output that was asked for. */
export interface PagePart {
  slice: TextSlice
  /** What the response says beside its `data`. */
  facts: Record<string, unknown>
}

/** Cuts a part from the JSON of an extraction. For a large one it blocks: call it in a thread. */
export function cutPage(json: Uint8Array, range: TextRange): PagePart {
  const { whole, facts } = pageOutput(JSON.parse(Buffer.from(json).toString('utf8')))
  return { slice: sliceOfText(whole, range), facts }
}

interface PageBody {
  data: Record<string, unknown> | null
  [fact: string]: unknown
}

/**
 * The output of one page: its text as it is where one text is all there is, JSON of its `data` otherwise.
 * Everything beside the data is ours.
 */
export function pageOutput({ data, ...facts }: PageBody) {
  const given = Object.entries(data ?? {}).filter(([, value]) => value !== null)
  const [first] = given
  if (!first) return { whole: '', facts }
  const [format, value] = first
  if (given.length === 1 && typeof value === 'string') {
    return { whole: value, facts: { ...facts, output: format } }
  }
  return { whole: JSON.stringify(data), facts: { ...facts, output: 'json' } }
}

export function sliceOfText(whole: string, { offset, max_length }: TextRange): TextSlice {
  const text = whole.slice(offset, offset + max_length)
  const isCut = offset + text.length < whole.length
  return { text: withoutHalfCharacter(text, isCut), totalLength: whole.length }
}

/** A surrogate pair stays together: its first half belongs to the next part. */
export const withoutHalfCharacter = (text: string, isCut: boolean): string =>
  isCut && text.length > 1 && /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text
