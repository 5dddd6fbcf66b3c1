/** `render_js: "auto"` where the browser has no time for the page at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const timeout = 5_000
const heldMs = timeout + 2_000

onBothStores((kind, start) => {
  test(`${kind}: a job does not time out while it waits for the browser`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<body><div id="root"></div><script>root.innerText = "rendered"</script>')
    const other = await startPageSite(t)
    other.page('/held', (_, response) => {
      response.setHeader('content-type', 'text/html')
      setTimeout(() => response.end('<p>held</p>'), heldMs)
    })
    const service = await start(t, {
      environment: {
        ...reachingLoopback,
        ...(await withBrowser()),
        // One page of the account at once, so that the second waits for the first.
        TRAWL_ACCOUNT_RUNNING_MAX: '1',
      },
    })
    const account = await service.createAccount()

    for (const [index, reason] of ['empty_app_root', 'scripted_host'].entries()) {
      const held = await submitExtraction(account, { url: other.url('/held'), render_js: true })
      await until(() => other.askedFor('/held').length > index)
      const id = await submitExtraction(account, {
        url: site.url('/'),
        render_js: 'auto',
        formats: ['text'],
        timeout,
        configurations: { retries: { useRetries: false } },
      })
      const job = await untilEnded(account, id)

      assert.equal((await untilEnded(account, held)).status, 'completed')
      assert.deepEqual([job.status, job.data?.text, job.error], ['completed', 'rendered', null])
      assert.equal(job.metadata?.engine_reason, reason)
    }
  })
})
