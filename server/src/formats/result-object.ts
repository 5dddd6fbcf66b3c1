import type { ImageFacts, PageFacts } from '../domain/scrape/page.ts'
import { base64Piece, type JsonPieces, spliceJson } from '../runtime/splice-json.ts'
import type { Content } from './present.ts'

export interface ResultFacts {
  page: Pick<PageFacts, 'statusCode' | 'url' | HowItCame | 'collectedData' | 'scenario'>
  /** In its embedded form. */
  content: Pick<Content, 'kind' | 'bytes'>
  image?: ShownImage | undefined
  options: { response_format: 'html' | 'json'; debug: boolean }
  attempts: number
  debug?: object | undefined
}

type HowItCame = 'headers' | 'cookies' | 'bandwidth' | 'engine'

/** The image of a page as callers get it: itself, or where it is. */
export type ShownImage = ImageFacts & ({ bytes: Uint8Array } | { url: string })

/** The result as callers read it. */
export function resultJson(facts: ResultFacts): JsonPieces {
  const { page, content, image } = facts
  const { statusCode, url } = page
  const after = image
    ? spliceJson(howItCame(facts), 'screenshot', imageJson(image), whatElseCame(facts))
    : { ...howItCame(facts), ...whatElseCame(facts) }
  return spliceJson({ statusCode, url }, content.kind, [content.bytes], after)
}

function howItCame({ page, options, attempts }: ResultFacts): object {
  if (options.response_format === 'html') return {}
  const { headers, cookies, bandwidth, engine } = page
  return { headers, cookies, bandwidth, engine, attempts }
}

function whatElseCame({ page, options, debug }: ResultFacts): object {
  const { collectedData, scenario } = page
  const isDebugged = options.response_format === 'json' && options.debug && debug !== undefined
  return { collectedData, scenario, ...(isDebugged && { debug }) }
}

/** The image inside a JSON document, as base64 unless it is a link. */
export function imageJson(image: ShownImage): JsonPieces {
  const { type, width, height } = image
  const facts = { type, width, height }
  if ('url' in image) return [Buffer.from(JSON.stringify({ ...facts, url: image.url }))]
  return spliceJson(facts, 'data', [quote, base64Piece(image.bytes), quote])
}

const quote = Buffer.from('"')
