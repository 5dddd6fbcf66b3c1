import { z } from 'zod'
import type { ListedProxy } from './proxy.ts'
import { readProxyUrl } from './read-proxy-url.ts'

const proxiesMax = 10_000
const problemsShownMax = 5

/**
 * The operator's list of proxies, or what is wrong with it in words that fit behind its name. Those name
 * the entry and the field and never what is in it: that may be a password.
 */
export type ProxyListRead = { proxies: ListedProxy[] } | { problem: string }

const Entry = z.strictObject(
  {
    url: z.string('must be a text').transform((text, issues) => {
      const read = readProxyUrl(text)
      if ('address' in read) return read.address
      issues.addIssue(read.problem)
      return z.NEVER
    }),
    type: z.enum(['residential', 'datacenter'], 'must be residential or datacenter'),
    country: z
      .string('must be two letters, or left out')
      .regex(/^[A-Za-z]{2}$/, 'must be two letters, as ISO 3166-1 has them')
      .toUpperCase()
      .optional(),
    label: z
      .string('must be a text, or left out')
      .regex(/^[\w.:-]{1,64}$/, 'must be 1 to 64 letters, digits or any of _ . : -')
      .optional(),
  },
  {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? 'has a field that is none of url, type, country, label'
        : 'must be an object of url, type, country, label',
  },
)

export function readProxyList(text: string): ProxyListRead {
  const list = parseJson(text)
  if ('problem' in list) return list
  if (!Array.isArray(list.value)) return { problem: 'must be a JSON list' }
  if (list.value.length > proxiesMax) {
    return { problem: `must have ${proxiesMax} entries at most` }
  }
  const problems: string[] = []
  const proxies = list.value.map((given, index) => readEntry(given, index + 1, problems))
  noteTakenLabels(proxies, problems)
  if (problems.length === 0) return { proxies: proxies.filter((proxy) => proxy !== undefined) }
  const more = problems.length - problemsShownMax
  const shown = problems.slice(0, problemsShownMax).join('; ')
  return { problem: more > 0 ? `${shown}; and ${more} more` : shown }
}

function readEntry(given: unknown, number: number, problems: string[]): ListedProxy | undefined {
  const { data: entry, error } = Entry.safeParse(given)
  for (const { path, message } of error?.issues ?? []) {
    problems.push(`entry ${number}${path.length > 0 ? `: ${path.join('.')}` : ''} ${message}`)
  }
  if (!entry) return undefined
  const { url, type, country = null } = entry
  const label = entry.label ?? `${type}-${country?.toLowerCase() ?? 'any'}-${number}`
  return { label, type, country, ...url }
}

function noteTakenLabels(proxies: readonly (ListedProxy | undefined)[], problems: string[]): void {
  const numbers = new Map<string, number>()
  proxies.forEach((proxy, index) => {
    if (!proxy) return
    const taken = numbers.get(proxy.label)
    if (taken === undefined) numbers.set(proxy.label, index + 1)
    else problems.push(`entry ${index + 1}: label is that of entry ${taken}`)
  })
}

/** Where it is not JSON the parser's words would quote it, so of them only the place is told. */
function parseJson(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec((error as Error).message) ?? []
    return { problem: `must be JSON${line ? `: see line ${line}, column ${column}` : ''}` }
  }
}
