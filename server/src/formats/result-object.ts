import type { Page } from '../domain/page.ts'
import { type JsonPieces, spliceJson } from '../runtime/splice-json.ts'
import type { Content } from './present.ts'

export interface ResultFacts {
  page: Pick<Page, 'statusCode' | 'url' | 'headers' | 'cookies' | 'bandwidth'>
  /** In its embedded form. */
  content: Pick<Content, 'kind' | 'bytes'>
  options: { response_format: 'html' | 'json'; debug: boolean }
  engine: 'http' | 'browser'
  attempts: number
  debug?: object | undefined
}

/** The result as callers read it. */
export function resultJson(facts: ResultFacts): JsonPieces {
  const { page, content } = facts
  const { statusCode, url } = page
  return spliceJson({ statusCode, url }, content.kind, [content.bytes], restOf(facts))
}

function restOf({ page, options, engine, attempts, debug }: ResultFacts): object {
  if (options.response_format === 'html') return {}
  const { headers, cookies, bandwidth } = page
  const isDebugged = options.debug && debug !== undefined
  return { headers, cookies, bandwidth, engine, attempts, ...(isDebugged && { debug }) }
}
