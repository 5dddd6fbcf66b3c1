import { isFields } from './option-drafts.ts'
import {
  type PlaygroundOperation,
  type PlaygroundRequest,
  playgroundOperations,
} from './playground-request.ts'

type Body = PlaygroundRequest['body']

const ofPage = [
  'configurations.cookies',
  'configurations.localStorage',
  // A scenario types passwords and runs scripts.
  'configurations.js_scenario',
]
const ofScrape = ['metadata', ...ofPage]
// A session lends the request the cookies of others.
const ofExtraction = ['headers', 'body', 'session', ...ofPage]

/** What a link does not contain: whatever may be a credential, or be meant for one receiver only. */
export const leftOutNames: Readonly<Record<PlaygroundOperation, readonly string[]>> = {
  extract: ofExtraction,
  callback: [...ofScrape, 'callbackUrl'],
  realtime: ofScrape,
  batch: [...ofExtraction, 'callback_url'],
  crawl: [...ofExtraction, 'callback_url'],
  map: [],
}

/** The request without what must not be in an address, and what of it that is. */
export function toSharedRequest({ operation, body }: PlaygroundRequest) {
  const leftOut: string[] = []
  const shared = withoutNames(body, leftOutNames[operation], '', leftOut)
  return { request: { operation, body: shared }, leftOut }
}

// Browsers take two million characters in an address; what people pass on takes far fewer.
const hashCharactersMax = 200_000

/** The fragment of an address that fills the form; undefined where it would be too long. */
export function toHash({ operation, body }: PlaygroundRequest): string | undefined {
  const hash = `#${operation}=${encodeURIComponent(JSON.stringify(body))}`
  return hash.length <= hashCharactersMax ? hash : undefined
}

/**
 * The request of an address; undefined where it has none. Throws what is wrong with it. An address may come
 * from a stranger who wants to use the session or the receivers of whoever opens it, so what a link does not
 * contain is not taken from one either.
 */
export function readHash(hash: string) {
  const [, operation, text] = /^#([a-z]+)=(.*)$/s.exec(hash) ?? []
  if (operation === undefined || text === undefined) return undefined
  if (!isOperation(operation)) throw new Error(`There is no operation "${operation}".`)
  if (hash.length > hashCharactersMax) throw new Error('It is too long.')
  const body = parseBody(text)
  if (!isFields(body)) throw new Error('It is not a request.')
  return toSharedRequest({ operation, body })
}

const isOperation = (name: string): name is PlaygroundOperation =>
  Object.hasOwn(playgroundOperations, name)

function parseBody(text: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(text))
  } catch {
    throw new Error('It is cut off or changed.')
  }
}

function withoutNames(
  fields: Body,
  names: readonly string[],
  above: string,
  leftOut: string[],
): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const key = above + name
    if (names.includes(key)) leftOut.push(key)
    else if (isFields(value)) kept[name] = withoutNames(value, names, `${key}.`, leftOut)
    else kept[name] = withoutPasswords(value, key, leftOut)
  }
  return kept
}

/** URLs may have a user and a password in front of the host. */
function withoutPasswords(value: unknown, key: string, leftOut: string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutPasswords(one, key, leftOut))
  if (typeof value !== 'string') return value
  const shown = value.replace(userOfUrl, '$1')
  const note = `the user and password in ${key}`
  if (shown !== value && !leftOut.includes(note)) leftOut.push(note)
  return shown
}

/** Up to the last `@` before the path, as browsers read it. */
const userOfUrl = /^(\s*[a-z][a-z\d+.-]*:[\\/]*)[^\\/?#]*@/i
