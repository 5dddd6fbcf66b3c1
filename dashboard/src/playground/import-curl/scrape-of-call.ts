import type { PlaygroundRequest } from '../playground-request.ts'
import type { CurlCall } from './read-curl-call.ts'
import { shownPart, UnreadableCommand } from './unreadable-command.ts'

/** A scrape that sends to the target what the curl command would; `leftOut` gets what it cannot. */
export function scrapeOfCall(url: URL, call: CurlCall, leftOut: string[]): PlaygroundRequest {
  const method = methodOf(call, leftOut)
  const { headers, cookieTexts } = sortHeaders(call, leftOut)
  const cookies = cookieTexts.flatMap((text) => readCookies(text, leftOut))
  const timeout = timeoutOf(call, leftOut)
  const hasBody = call.data !== undefined && method !== 'GET'
  if (call.data !== undefined && !hasBody) leftOut.push('the data: a GET request has no body')
  return {
    operation: 'extract',
    body: {
      url: url.href,
      ...(method !== 'GET' && { method }),
      ...(headers.size > 0 && { headers: Object.fromEntries(headers) }),
      ...(hasBody && { body: call.data }),
      ...(timeout !== undefined && { timeout }),
      ...(cookies.length > 0 && { configurations: { cookies } }),
    },
  }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

function methodOf({ method, isHead }: CurlCall, leftOut: string[]): string {
  const given = method ?? (isHead ? 'HEAD' : 'GET')
  if (methods.includes(given)) return given
  if (given !== 'HEAD') {
    throw new UnreadableCommand(`A scrape cannot send the method ${shownPart(given)}.`)
  }
  leftOut.push('the method HEAD: the scrape sends GET')
  return 'GET'
}

/** The engine sets these by itself, to the same effect. */
const enginesHeaders = new Set(['accept-encoding', 'content-length', 'connection', 'keep-alive'])

/** The service sends none of these for a caller. */
const refusedHeaders =
  /^(host|te|trailer|transfer-encoding|upgrade|expect|http2-settings|proxy-(connection|authorization))$/

const headersMax = 100
const isHeader = ([name, value]: [string, string]): boolean =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/.test(name) && /^[\t\x20-\x7e\x80-\xff]{0,8192}$/.test(value)

function sortHeaders(call: CurlCall, leftOut: string[]) {
  const headers = new Map<string, string>()
  const cookieTexts = [...call.cookies]
  for (const header of call.headers) {
    const [name, value] = header
    if (enginesHeaders.has(name)) continue
    if (name === 'cookie') cookieTexts.push(value)
    else if (refusedHeaders.test(name) || !isHeader(header) || headers.size >= headersMax) {
      leftOut.push(`the header ${shownPart(name)}`)
    } else {
      // HTTP has a list for a header that is there twice.
      const before = headers.get(name)
      headers.set(name, before === undefined ? value : `${before}, ${value}`)
    }
  }
  return { headers, cookieTexts }
}

interface CookiePair {
  name: string
  value: string
}

const cookieBytesMax = 4096

function readCookies(text: string, leftOut: string[]): CookiePair[] {
  const pairs = text.split(';').map((pair) => pair.trim())
  return pairs.flatMap((pair) => {
    if (pair === '') return []
    const [, name, value] = /^([!-:<>-~]{1,256})=([ -~]*)$/.exec(pair) ?? []
    if (name !== undefined && value !== undefined && value.length <= cookieBytesMax) {
      return [{ name, value }]
    }
    leftOut.push(`the cookie ${shownPart(pair)}`)
    return []
  })
}

function timeoutOf({ timeoutMs }: CurlCall, leftOut: string[]): number | undefined {
  if (timeoutMs === undefined) return undefined
  if (timeoutMs >= 1_000 && timeoutMs <= 300_000) return timeoutMs
  leftOut.push('the option --max-time: a scrape takes 1 to 300 seconds')
  return undefined
}
