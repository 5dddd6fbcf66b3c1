import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, realtimePath } from '../support/scrape-calls.ts'
import { openTestPage } from '../support/test-browser.ts'
import { startTestService } from '../support/test-service.ts'

const whitelistPath = '/api/configuration/active/whitelisted-ips'
const addAttacker = `fetch('${whitelistPath}', {
  method: 'POST',
  credentials: 'include',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ ips: [{ ip: '192.0.2.66' }] }),
})`

/** Every way in which HTML runs a script or sends a request by itself. */
const hostilePage = (origin: string) => `<!doctype html>
<link rel="stylesheet" href="${origin}/asked/style"><link rel="prefetch" href="${origin}/asked/prefetch">
<meta http-equiv="refresh" content="1; url=javascript:${encodeURIComponent(addAttacker)}">
<body onload="${addAttacker.replaceAll('"', '&quot;')}">
<script>document.title = 'ran'</script>
<script src="${origin}/asked/script"></script>
<img src="${origin}/asked/image" onerror="${addAttacker}">
<svg onload="${addAttacker}"></svg>
<iframe srcdoc="<script>parent.${addAttacker}</script>"></iframe>
<iframe src="${origin}/asked/frame"></iframe><object data="${origin}/asked/object"></object>
<form id="form" method="post" action="${origin}/asked/form"></form>
<script>${addAttacker}.finally(() => form.submit())</script>
<p>the end</p>`

test('a scraped page opened with Basic credentials runs nothing on our origin', async (t) => {
  const site = await startPageSite(t)
  site.page('/hostile', hostilePage(site.origin))
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const scraped = await account.call(`POST ${realtimePath}`, { url: site.url('/hostile') })
  const id = scraped.headers['x-request-id']
  assert.equal(scraped.text, hostilePage(site.origin))

  await t.test('the scripts of the hostile page run on its own origin', async (inner) => {
    const page = await openTestPage(inner)

    await page.goto(site.url('/hostile'), { waitUntil: 'networkidle0' })

    assert.ok(site.asked.includes(whitelistPath), 'the page is as hostile as it is meant to be')
    assert.ok(site.asked.includes('/asked/form'))
  })

  for (const [shown, path] of Object.entries({
    'as a result': `/api/scraper/scrape/callback/${id}/result`,
    'as a preview': `/v1/tasks/${id}/preview`,
    'as a preview of its markdown': `/v1/tasks/${id}/preview?format=markdown`,
  })) {
    await t.test(`on our origin the hostile page is only text, ${shown}`, async (inner) => {
      const page = await openTestPage(inner)
      const askedBefore = site.asked.length
      await page.authenticate(account)

      const response = await page.goto(service.url + path, { waitUntil: 'networkidle0' })

      assert.deepEqual((await account.call(`GET ${whitelistPath}`)).json().data, [])
      assert.equal(response?.status(), 200)
      assert.match(String(await page.evaluate('document.body.innerText')), /the end/)
      assert.notEqual(await page.title(), 'ran')
      assert.deepEqual(site.asked.slice(askedBefore), [])
    })
  }
})
