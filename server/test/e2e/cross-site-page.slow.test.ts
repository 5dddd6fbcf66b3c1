import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startPageSite } from '../support/page-site.ts'
import { openTestPage } from '../support/test-browser.ts'
import { startTestService } from '../support/test-service.ts'

test('a hostile page in a browser that has the password stored changes nothing (CSRF)', async (t) => {
  const site = await startPageSite(t)
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const account = await service.createAccount()
  const created = await account.call('POST /v1/webhooks', {
    url: 'https://receiver.example/',
    event_type: 'extract_completed',
  })
  const { id, updated_at: createdAt } = created.json()
  const rotatePath = `/v1/webhooks/${id}/rotate-secret`
  const rotateUrl = service.url + rotatePath
  const lastChange = async () => (await account.call(`GET /v1/webhooks/${id}`)).json().updated_at
  // Neither request needs a CORS preflight: it has no body and no custom header.
  site.page(
    '/fetch',
    `<script>fetch('${rotateUrl}', { method: 'POST', mode: 'no-cors', credentials: 'include' })
      .finally(() => { document.title = 'done' })</script>`,
  )
  site.page(
    '/form',
    `<form id="form" method="post" action="${rotateUrl}"></form><script>form.submit()</script>`,
  )
  const page = await openTestPage(t)
  await page.authenticate(account)
  const signedIn = await page.goto(`${service.url}/v1/webhooks/${id}`)
  assert.equal(signedIn?.status(), 200)

  // Another host name is another site; another port is the same site but another origin.
  for (const origin of [site.origin.replace('127.0.0.1', 'localhost'), site.origin]) {
    await page.goto(`${origin}/fetch`)
    await page.waitForFunction(`document.title === 'done'`)
    assert.equal(await lastChange(), createdAt, 'the secret is as it was')

    const posted = page.waitForResponse((one) => one.url() === rotateUrl)
    await page.goto(`${origin}/form`)
    assert.equal((await posted).status(), 403, origin)
    assert.equal(await lastChange(), createdAt, 'the secret is as it was')
  }

  // Our pages forbid all requests of their own today; later ones will not.
  await page.setBypassCSP(true)
  await page.goto(`${service.url}/reference`)
  const own = await page.evaluate(
    `fetch('${rotatePath}', { method: 'POST' }).then((response) => response.status)`,
  )
  assert.equal(own, 200, 'a page of our own may')
  assert.notEqual(await lastChange(), createdAt)
})
