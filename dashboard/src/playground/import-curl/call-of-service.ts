import {
  type PlaygroundOperation,
  type PlaygroundRequest,
  playgroundOperations,
} from '../playground-request.ts'
import type { CurlCall } from './read-curl-call.ts'
import { UnreadableCommand } from './unreadable-command.ts'

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

function readJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
