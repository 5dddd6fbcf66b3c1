import { hopByHopHeaders, namesInConnection } from '../../domain/forwarded-headers.ts'
import { parseUrl } from '../../domain/parse-url.ts'

/** The headers sent to a target: those that a browser without a proxy would send. */
export interface RequestHeaders {
  /** Names and values alternate. */
  list: string[]
  hasBody: boolean
}

/** A `Connection` header cannot remove these: without them request smuggling would be possible. */
const indispensable = new Set(['host', 'content-length'])

/** Undefined if the `Host` header differs from the host of the request line. */
export function requestHeaders(
  raw: readonly string[],
  authority: string,
): RequestHeaders | undefined {
  const list = ['Host', authority, 'Connection', 'keep-alive']
  const named = namedInConnection(raw)
  let hasBody = false
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string
    const value = raw[at + 1] as string
    const key = name.toLowerCase()
    if (key === 'host') {
      if (!isSameHost(value, authority)) return undefined
    } else if (key === 'transfer-encoding') {
      // Kept although it is hop-by-hop, because the body is sent in chunks again.
      hasBody = true
      list.push(name, value)
    } else if (isEndToEnd(key, named)) {
      hasBody ||= key === 'content-length' && value !== '0'
      list.push(name, value)
    }
  }
  return { list, hasBody }
}

/**
 * A target's headers in their order and spelling, without the hop-by-hop ones. Undefined if they are too
 * large: Node's own count leaves out the separators.
 */
export function responseHeaders(raw: readonly string[], bytesMax: number): string[] | undefined {
  const list: string[] = []
  const named = namedInConnection(raw)
  let bytes = 0
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at] as string
    const value = raw[at + 1] as string
    bytes += name.length + value.length + 4
    if (isEndToEnd(name.toLowerCase(), named)) list.push(name, value)
  }
  return bytes > bytesMax ? undefined : list
}

const isEndToEnd = (key: string, named: Set<string> | undefined): boolean =>
  !hopByHopHeaders.has(key) && !key.startsWith('proxy-') && !named?.has(key)

/** The further headers that `Connection` declares to be hop-by-hop; usually there are none. */
function namedInConnection(raw: readonly string[]): Set<string> | undefined {
  let names: Set<string> | undefined
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.length !== 'connection'.length || raw[at]?.toLowerCase() !== 'connection') continue
    for (const key of namesInConnection(raw[at + 1] as string)) {
      if (key === 'keep-alive' || key === 'close' || indispensable.has(key)) continue
      names ??= new Set()
      names.add(key)
    }
  }
  return names
}

const isSameHost = (value: string, authority: string): boolean =>
  value === authority || parseUrl(`http://${value}`)?.host === authority
