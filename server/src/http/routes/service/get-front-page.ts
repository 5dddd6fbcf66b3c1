import { checksOf, healthStatusOf } from '../../../domain/service/health.ts'
import { html, page, pageResponse } from '../../html-page.ts'
import { defineRoute } from '../../route.ts'

export const getFrontPage = defineRoute({
  operationId: 'getFrontPage',
  method: 'GET',
  path: '/',
  family: 'service',
  summary: 'The front page: health, and a first request to copy',
  response: pageResponse,
  examples: { page: { summary: 'The page', status: 200 } },

  async handle(_request, { healthFacts, capabilities, publicUrl }) {
    const checks = checksOf(await healthFacts({ isBrowserTried: false }))
    const status = healthStatusOf(checks)
    const { version, store } = await capabilities({ isBrowserTried: false })
    const rows = Object.entries(checks).map(
      ([name, { isOk, detail }]) =>
        html`<tr><td>${isOk ? '✓' : '✗'} ${name}</td><td>${detail}</td></tr>`,
    )
    return page(
      'Trawl',
      html`<h1>Trawl</h1>
<p>A self-hosted web scraping service: send a URL and a callback URL, get the page posted back, signed, retried, never lost.</p>
<p><span class="state ${status}">${status}</span> <span class="soft">version ${version}, store ${store}</span></p>
<table>${rows}</table>
<h2>A first request</h2>
<pre>KEY=…  # printed at the first start, kept in credentials.json of the data folder
curl ${publicUrl()}/api/scraper/scrape/realtime -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com"}'</pre>
<p>Everything it can do: <a href="/reference">the reference</a>, for machines <a href="/openapi.json">openapi.json</a> and <a href="/llms.txt">llms.txt</a>.</p>`,
    )
  },
})
