import { isJson } from '../is-json.ts'

/** A larger block is left out rather than cut, since half a JSON document is none. */
const blockBytesMax = 256 * 1024
const totalBytesMax = 2 ** 20
/** As deep as callers' JSON parsers are sure to go. */
const depthMax = 100

/** Parses the JSON-LD blocks of a page; those that are not JSON or too large are left out. */
export function parseJsonLd(blocks: readonly string[]): unknown[] {
  const parsed: unknown[] = []
  let bytesLeft = totalBytesMax
  for (const block of blocks) {
    if (block.length > blockBytesMax) continue
    const text = repair(block)
    const utf8 = Buffer.from(text)
    if (utf8.length > bytesLeft || !isJson(utf8, depthMax)) continue
    bytesLeft -= utf8.length
    parsed.push(JSON.parse(utf8.toString('utf8')))
  }
  return parsed
}

/** Pages wrap the block in a comment or CDATA, and break lines inside strings. */
function repair(block: string): string {
  return block
    .replace(/^\s*(?:\/\/\s*)?(?:<!--|<!\[CDATA\[)/, '')
    .replace(/(?:\/\/\s*)?(?:-->|\]\]>)\s*$/, '')
    .replace(/\p{Cc}/gu, ' ')
    .replace(/;\s*$/, '')
}

export type JsonObject = Record<string, unknown>

const itemsMax = 1_000

/**
 * The object that describes the page itself: an article where there is one, else whatever has the
 * fields that articles have. Undefined where the blocks only describe the site.
 */
export function mainEntity(blocks: readonly unknown[]): JsonObject | undefined {
  const items = listItems(blocks)
  return (
    items.find((item) => typesOf(item).some((type) => /(?:Article|Posting|Report)$/.test(type))) ??
    items.find((item) => typesOf(item).some((type) => pageTypes.has(type))) ??
    items.find((item) => item['datePublished'] !== undefined)
  )
}

const pageTypes = new Set([
  'Product',
  'Recipe',
  'VideoObject',
  'Event',
  'Book',
  'Movie',
  'Course',
  'QAPage',
  'HowTo',
  'WebPage',
  'ItemPage',
])

/** The top objects, those of lists and `@graph`, and the main entity of a page. */
function listItems(blocks: readonly unknown[]): JsonObject[] {
  const items: JsonObject[] = []
  const waiting: unknown[] = [...blocks].reverse()
  while (waiting.length > 0 && items.length < itemsMax) {
    const next = waiting.pop()
    if (Array.isArray(next)) {
      for (const inner of next.slice(0, itemsMax).reverse()) waiting.push(inner)
    } else if (isObject(next)) {
      items.push(next)
      waiting.push(next['mainEntity'], next['@graph'])
    }
  }
  return items
}

function typesOf(item: JsonObject): string[] {
  const type = item['@type']
  return (Array.isArray(type) ? type : [type])
    .filter((one) => typeof one === 'string')
    .map((one) => one.replace(/^https?:\/\/schema\.org\//, ''))
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
