/** How to reach the service; what is left out is read from the environment. */
export interface TrawlOptions {
  /** An API key. Environment: `TRAWL_API_KEY`; null for none, whatever the environment has. */
  apiKey?: string | null | undefined
  /** The account's name and password, which open keys and whitelisted IPs too. */
  username?: string | undefined
  /** Environment: `TRAWL_PASSWORD`; null for none, whatever the environment has. */
  password?: string | null | undefined
  /** Environment: `TRAWL_URL`; in a page, its own origin; else `http://127.0.0.1:8080`. */
  baseUrl?: string | undefined
  /** Milliseconds for a whole call, retries included. Each kind of call has a default that fits. */
  timeout?: number | undefined
  /** How often a call that failed in passing is sent again. Default: 2. */
  maxRetries?: number | undefined
  /** Used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/** The value of a header, and the option or variable that it is from. */
export interface Credential {
  value: string
  origin: string
}

export type ClientSettings = ReturnType<typeof readSettings>

export function readSettings(options: TrawlOptions) {
  const username = options.username ?? readEnvironment('TRAWL_USERNAME')
  const password = readCredential(options, 'password', 'TRAWL_PASSWORD')
  const page = originOfPage()
  const baseUrl = options.baseUrl ?? readEnvironment('TRAWL_URL') ?? page ?? 'http://127.0.0.1:8080'
  if (!/^https?:\/\//.test(baseUrl)) throw new TypeError('baseUrl has to be an http or https URL.')
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey: readCredential(options, 'apiKey', 'TRAWL_API_KEY'),
    /** For `Authorization`. */
    basic: password && {
      value: `Basic ${encode(`${username ?? 'admin'}:${password.value}`)}`,
      origin: password.origin,
    },
    /** Whether the browser sends the session of the page. */
    isOfPage: page !== undefined,
    timeout: options.timeout,
    maxRetries: options.maxRetries ?? 2,
    // Called without `this`, which browsers insist on.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
}

function readCredential(
  options: TrawlOptions,
  option: 'apiKey' | 'password',
  variable: string,
): Credential | undefined {
  const given = options[option]
  if (given === null) return undefined
  const value = given ?? readEnvironment(variable)
  return value === undefined
    ? undefined
    : { value, origin: given === undefined ? variable : option }
}

/** Base64 of UTF-8, as the service reads it. */
const encode = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))

function readEnvironment(name: string): string | undefined {
  try {
    const { process } = globalThis as {
      process?: { env?: Record<string, string | undefined> }
    }
    return process?.env?.[name] || undefined
  } catch {
    return undefined // Deno without the permission to read it
  }
}

function originOfPage(): string | undefined {
  const { location } = globalThis as { location?: { origin?: string } }
  return location?.origin?.startsWith('http') ? location.origin : undefined
}
