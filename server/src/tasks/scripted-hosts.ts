import type { PageVerdict } from '../domain/scrape/engine-reason.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'

const rememberedMs = 3_600_000
const hostsMax = 10_000

/**
 * Whether a verdict says something about the other pages of its host. A page without scripts does not:
 * the next one is judged by its own content, so that no scripted page is served empty.
 */
const isAboutHost = {
  static: false,
  script_challenge: true,
  unrendered_template: true,
  empty_app_root: true,
  noscript_demand: true,
  client_redirect: false,
  script_shell: true,
} satisfies Record<PageVerdict, boolean>

/** Remembers for an hour which hosts needed a browser, so that their next pages use it at once. */
export class ScriptedHosts {
  readonly #verdicts = new TtlCache<PageVerdict>({ entriesMax: hostsMax, ttlMs: rememberedMs })

  find(accountId: string, url: string): PageVerdict | undefined {
    return this.#verdicts.get(keyOf(accountId, url))
  }

  remember(accountId: string, url: string, verdict: PageVerdict): void {
    if (isAboutHost[verdict]) this.#verdicts.set(keyOf(accountId, url), verdict)
  }
}

/**
 * Accounts do not share verdicts, since their headers and proxies may get them other pages. A site often
 * redirects from its bare name to `www`, or back, so the two are one host.
 */
const keyOf = (accountId: string, url: string): string =>
  `${accountId} ${new URL(url).host.replace(/^www\./, '')}`
