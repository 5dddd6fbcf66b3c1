import { printableJson } from './printable-json.ts'

/** A call of our API, as a snippet for people shows it. */
export interface ShownCall {
  method: string
  url: string
  /** Without the key and the type of the body. */
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  body?: unknown
  /** The response goes on for ever. */
  isStream?: boolean
}

/** Linux takes 128 KiB for one argument; what is longer is given on stdin. */
const argumentBytesMax = 100_000

/** A curl command for a POSIX shell that makes the call; the key is in the variable `TRAWL_API_KEY`. */
export function curlCommand({ method, url, headers = {}, body, isStream }: ShownCall): string {
  const json = body === undefined ? undefined : printableJson(body)
  const isLong = json !== undefined && new TextEncoder().encode(json).length > argumentBytesMax
  // curl's own choice of the method depends on the body.
  const isDefault = method === 'GET' && json === undefined
  const lines = [
    // Brackets in URLs, as in IPv6 addresses, are no patterns here.
    `curl --globoff${isStream ? ' --no-buffer' : ''}${isDefault ? '' : ` --request ${method}`} ${shellWord(url)}`,
    '--header "X-Api-Key: $TRAWL_API_KEY"',
    ...(json === undefined ? [] : ["--header 'Content-Type: application/json'"]),
    ...Object.entries(headers).map(
      ([name, value]) => `--header ${shellWord(headerOf(name, value))}`,
    ),
    ...(json === undefined
      ? []
      : [isLong ? "--data @- <<'JSON'" : `--data-raw ${shellWord(json)}`]),
  ]
  // curl drops line feeds of data from stdin, and JSON has none of its own.
  return lines.join(' \\\n  ') + (isLong ? `\n${json}\nJSON` : '')
}

/** A header without a value has another form, since `Name:` means to leave the header out. */
const headerOf = (name: string, value: string): string =>
  value === '' ? `${name};` : `${name}: ${value}`

/** A word for a POSIX shell, in quotes unless it is plain. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
