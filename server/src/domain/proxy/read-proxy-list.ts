import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readJson } from '../read-json.ts'
import type { ListedProxy } from './proxy.ts'
import { readProxyUrl } from './read-proxy-url.ts'

const proxiesMax = 10_000
const problemsShownMax = 5

/**
 * The operator's list of proxies, or a problem to print after the setting's name. A problem names the
 * entry and the field but never quotes the value, which may contain a password.
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
  const list = readJson(text)
  if ('problem' in list) return list
  if (!Array.isArray(list.value)) return { problem: 'must be a JSON list' }
  if (list.value.length > proxiesMax) {
    return { problem: `must have ${proxiesMax} entries at most` }
  }
  const problems: string[] = []
  const deriveLabel = labelDeriver()
  const proxies = list.value.map((given, index) => {
    const entry = readEntry(given, index + 1, problems)
    return entry && { ...entry, label: entry.label ?? deriveLabel(entry) }
  })
  noteDuplicates(proxies, problems)
  if (problems.length === 0) return { proxies: proxies.filter((proxy) => proxy !== undefined) }
  const more = problems.length - problemsShownMax
  const shown = problems.slice(0, problemsShownMax).join('; ')
  return { problem: more > 0 ? `${shown}; and ${more} more` : shown }
}

type Unlabelled = Omit<ListedProxy, 'label'>

function readEntry(
  given: unknown,
  number: number,
  problems: string[],
): (Unlabelled & { label: string | undefined }) | undefined {
  const { data: entry, error } = Entry.safeParse(given)
  for (const { path, message } of error?.issues ?? []) {
    problems.push(`entry ${number}${path.length > 0 ? `: ${path.join('.')}` : ''} ${message}`)
  }
  if (!entry) return undefined
  const { url, type, country = null, label } = entry
  return { label, type, country, ...url }
}

/**
 * Derives labels from type, country and address, so that a proxy keeps its label when the list is
 * edited. Labels are public: they contain a hash of the address and nothing of the user.
 */
function labelDeriver(): (proxy: Unlabelled) => string {
  const counts = new Map<string, number>()
  return ({ type, country, protocol, host, port }) => {
    const address = createHash('sha256').update(`${protocol} ${host} ${port}`).digest('hex')
    const label = `${type}-${country?.toLowerCase() ?? 'any'}-${address.slice(0, 8)}`
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    return count === 1 ? label : `${label}-${count}`
  }
}

function noteDuplicates(proxies: readonly (ListedProxy | undefined)[], problems: string[]): void {
  const numbers = new Map<string, number>()
  proxies.forEach((proxy, index) => {
    if (!proxy) return
    const taken = numbers.get(proxy.label)
    if (taken === undefined) numbers.set(proxy.label, index + 1)
    else problems.push(`entry ${index + 1}: label is already that of entry ${taken}`)
  })
}
