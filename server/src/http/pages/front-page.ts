import type { IncomingHttpHeaders } from 'node:http'
import { checksOf, healthStatusOf } from '../../domain/service/health.ts'
import { readSessionCookie } from '../auth/session-cookie.ts'
import { RouteResponse } from '../route.ts'
import type { UseCases } from '../use-cases.ts'
import { hashedScript, html, page } from './html-page.ts'

// Not the header `Refresh`, which does nothing at an address with a fragment, such as that of a sign-in link.
const reloadScript = hashedScript('setTimeout(() => location.reload(), 3000)')

/** What a person sees who opens the service: the dashboard, and until that is built a page that says so. */
export async function frontPage(
  headers: IncomingHttpHeaders,
  useCases: UseCases,
): Promise<RouteResponse> {
  const { dashboard } = useCases
  const files = dashboard.files()
  if (files) {
    const plain = Buffer.from(files.page.plain)
    return new RouteResponse(isSignedOut(headers) ? markSignedOut(plain) : plain, {
      headers: dashboardHeaders,
    })
  }
  return await plainPage(useCases)
}

/**
 * Only files of ours may run or be loaded, nothing inline, and text cannot become HTML (XSS). Previews of
 * scraped pages are frames of our own origin with a sandbox and a policy of their own.
 */
const dashboardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const dashboardHeaders = {
  'content-security-policy': dashboardPolicy,
  // A foreign page that opens ours keeps no hold of it: it could send it to addresses that fill a form.
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/**
 * Whether there is no session to ask for. A browser keeps the cookie back (SameSite) where a link of another
 * site leads here, so its absence says something only elsewhere.
 */
const isSignedOut = (headers: IncomingHttpHeaders): boolean =>
  ['none', 'same-origin'].includes(String(headers['sec-fetch-site'])) &&
  readSessionCookie(headers.cookie ?? '') === undefined

/** Saves the page a question whose answer would be 401, which browsers report as an error. */
const markSignedOut = (page: Buffer): Buffer =>
  Buffer.from(page.toString('utf8').replace('<html ', '<html data-signed-out '))

async function plainPage(useCases: UseCases): Promise<RouteResponse> {
  const { healthFacts, capabilities, publicUrl, dashboard } = useCases
  const checks = checksOf(await healthFacts({ isBrowserTried: false }))
  const status = healthStatusOf(checks)
  const { version, store } = await capabilities({ isBrowserTried: false })
  const rows = Object.entries(checks).map(
    ([name, { isOk, detail }]) =>
      html`<tr><td>${isOk ? '✓' : '✗'} ${name}</td><td>${detail}</td></tr>`,
  )
  const notice = dashboard.notice()
  return page(
    'Trawl',
    html`<h1>Trawl</h1>
<p>A self-hosted web scraping service: send a URL and a callback URL, get the page posted back, signed, retried, never lost.</p>
${notice === undefined ? '' : html`<p role="status">${notice}</p>`}
<p><span class="state ${status}">${status}</span> <span class="soft">version ${version}, store ${store}</span></p>
<table>${rows}</table>
<h2>A first request</h2>
<pre>KEY=…  # printed at the first start, kept in credentials.json of the data folder
curl ${publicUrl()}/api/scraper/scrape/realtime -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com"}'</pre>
<p>Everything it can do: <a href="/reference">the reference</a>, for machines <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a>.</p>`,
    dashboard.isBuilding() ? reloadScript : undefined,
  )
}
