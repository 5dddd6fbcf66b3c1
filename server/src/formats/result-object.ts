import type { ImageFacts, PageFacts } from '../domain/scrape/page.ts'
import { base64Piece, type JsonPieces, spliceJson } from '../runtime/splice-json.ts'
import type { Content } from './present.ts'

export interface ResultFacts {
  page: Pick<PageFacts, 'statusCode' | 'url' | FetchFacts | 'collectedData' | 'scenario'>
  /** In the embedded form. */
  content: Pick<Content, 'kind' | 'bytes'>
  image?: ResultImage | undefined
  options: { response_format: 'html' | 'json'; debug: boolean }
  attempts: number
  debug?: object | undefined
}

type FetchFacts = 'headers' | 'cookies' | 'bandwidth' | 'engine'

/** The screenshot as callers get it: its bytes, or a link to it. */
export type ResultImage = ImageFacts & ({ bytes: Uint8Array } | { url: string })

/** The JSON of a result as callers get it. */
export function resultJson(facts: ResultFacts): JsonPieces {
  const { page, content, image } = facts
  const { statusCode, url } = page
  const after = image
    ? spliceJson(fetchFields(facts), 'screenshot', imageJson(image), browserFields(facts))
    : { ...fetchFields(facts), ...browserFields(facts) }
  return spliceJson({ statusCode, url }, content.kind, [content.bytes], after)
}

function fetchFields({ page, options, attempts }: ResultFacts): object {
  if (options.response_format === 'html') return {}
  const { headers, cookies, bandwidth, engine } = page
  return { headers, cookies, bandwidth, engine, attempts }
}

function browserFields({ page, options, debug }: ResultFacts): object {
  const { collectedData, scenario } = page
  const isDebugged = options.response_format === 'json' && options.debug && debug !== undefined
  return { collectedData, scenario, ...(isDebugged && { debug }) }
}

/** The JSON of a screenshot: a link, or the image in base64. */
export function imageJson(image: ResultImage): JsonPieces {
  const { type, width, height } = image
  const facts = { type, width, height }
  if ('url' in image) return [Buffer.from(JSON.stringify({ ...facts, url: image.url }))]
  return spliceJson(facts, 'data', [quote, base64Piece(image.bytes), quote])
}

const quote = Buffer.from('"')
