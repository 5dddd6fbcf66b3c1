import { isFields } from '../option-drafts.ts'
import {
  type PlaygroundOperation,
  type PlaygroundRequest,
  playgroundOperations,
} from '../playground-request.ts'
import type { CurlCall } from './read-curl-call.ts'
import { shownPart, UnreadableCommand } from './split-shell-words.ts'

/**
 * The request of a curl command that calls an operation of this API, on whatever host; undefined if it
 * calls something else. Other services may have the same paths, so the call has to look like one of ours.
 */
export function findServiceCall(url: URL, call: CurlCall): PlaygroundRequest | undefined {
  const path = url.pathname.replace(/\/$/, '')
  const operation = operationNames.find((name) => playgroundOperations[name].path === path)
  if (!operation || call.method !== 'POST') return undefined
  const body = call.data === undefined ? undefined : readJsonObject(call.data)
  if (body && ('url' in body || 'urls' in body)) return { operation, body }
  if (!call.headers.some(([name]) => name === 'x-api-key')) return undefined
  if (call.isDataMissing) {
    throw new UnreadableCommand('The body is in a file, which cannot be read here.')
  }
  const fault = body ? 'has no URL to scrape' : 'is not a JSON object'
  throw new UnreadableCommand(`The body of ${path} ${fault}.`)
}

/** What a call of this API has beside its body that the playground does not send. */
export function listUnusedOfServiceCall(url: URL, call: CurlCall): string[] {
  const hasQuery = url.search !== '' || call.query.length > 0
  const credentials = call.headers.filter(([name, value]) => isCredential(name) && value[0] !== '$')
  const others = call.headers.map(([name]) => name).filter((name) => !impliedHeaders.has(name))
  return [
    ...(hasQuery ? ['the query of the URL'] : []),
    ...(call.cookies.length > 0 ? ['the cookies'] : []),
    ...(credentials.length > 0 ? ['the credentials: you are signed in here'] : []),
    ...(others.length > 0 ? [`the headers ${[...new Set(others)].join(', ')}`] : []),
    ...(call.timeoutMs === undefined ? [] : ['the option --max-time']),
  ]
}

const operationNames = Object.keys(playgroundOperations) as PlaygroundOperation[]

const isCredential = (name: string): boolean => name === 'x-api-key' || name === 'authorization'

const impliedHeaders = new Set([
  'accept',
  'authorization',
  'content-length',
  'content-type',
  'user-agent',
  'x-api-key',
])

function readJsonObject(text: string): PlaygroundRequest['body'] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

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
