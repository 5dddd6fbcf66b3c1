/** The forms of the reference page, in a real browser and against a running service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { openTestPage } from '../support/test-browser.ts'
import { startTestService } from '../support/test-service.ts'

const hostile = `<img src=x onerror="window.ran=true"><script>window.ran=true</script>${'é'.repeat(70_000)}`

test('requests can be tried on the reference page', async (t) => {
  const site = await startPageSite(t)
  site.page('/hostile', hostile)
  site.page('/image', (_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end('\x89PNG'),
  )
  const { url, createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()
  const page = await openTestPage(t)
  const asked: { url: string; headers: Record<string, string> }[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push({ url: request.url(), headers: request.headers() }))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(`${url}/reference`)
  await page.waitForSelector('html[data-try-it="ready"]')

  await t.test('a GET without credentials shows status, headers and body', async () => {
    const form = await openForm(page, 'getLivez')

    const shown = await form.send()

    assert.match(shown.status, /^200/)
    assert.match(shown.headers, /x-request-id: /)
    assert.deepEqual(JSON.parse(shown.body), { status: 'alive' })
  })

  await t.test(
    'without a key the caller is told to authenticate, and no dialog opens',
    async () => {
      const form = await openForm(page, 'listBatches')

      const shown = await form.send()

      assert.match(shown.status, /^401/)
      assert.equal(JSON.parse(shown.body).code, 'UNAUTHORIZED')
      // The browser itself reports a refusal to its console.
      assert.deepEqual(
        complaints.splice(0).filter((text) => !text.includes('401')),
        [],
      )
    },
  )

  await t.test('a GET sends the fields of its form and the key', async () => {
    await page.type('#credentials input', account.apiKey)
    const form = await openForm(page, 'listBatches')
    await form.fill('page_size', '7')

    const shown = await form.send()

    assert.match(shown.status, /^200/)
    assert.equal(JSON.parse(shown.body).page_size, 7)
    const sent = asked.at(-1)
    assert.equal(sent?.url, `${url}/v1/batch/jobs?page_size=7`)
    assert.equal(sent?.headers['x-api-key'], account.apiKey)
  })

  await t.test('a POST sends the body, and a hostile response is shown as text', async () => {
    const form = await openForm(page, 'extractPage')
    const example = JSON.parse(await form.body())
    assert.ok(example.url)
    await form.setBody(JSON.stringify({ url: site.url('/hostile'), formats: ['html'] }))

    const shown = await form.send()

    assert.match(shown.status, /^200/)
    assert.ok(shown.body.includes('<script>window.ran=true</script>'))
    assert.equal(shown.body.length, 65_536)
    assert.match(shown.note, /^Cut after 65536 characters/)
    assert.equal(await page.evaluate('window.ran'), undefined)
    assert.equal(await page.evaluate("document.querySelectorAll('img').length"), 0)
  })

  await t.test('the body of a response that is no text is counted, not shown', async () => {
    const image = await account.call('POST /v1/extract', { url: site.url('/image') })
    const form = await openForm(page, 'getExtractFile')
    await form.fill('job_id', String(image.headers['x-job-id']))

    const shown = await form.send()

    assert.match(shown.status, /^200/)
    assert.match(shown.note, /^\d+ bytes of image\/png, not shown\.$/)
    assert.equal(shown.body, '')
  })

  await t.test('an operation that takes no key is sent with the password', async () => {
    const [, username, password] = await page.$$('#credentials input')
    await username?.type(account.username)
    await password?.type(account.password)
    const form = await openForm(page, 'listWhitelistedIps')

    const shown = await form.send()

    assert.match(shown.status, /^200/)
    assert.equal(asked.at(-1)?.headers['x-api-key'], undefined)
  })

  await t.test('a stream without an end is shown while it comes, and can be stopped', async () => {
    const form = await openForm(page, 'watchEvents')

    await form.start()
    await page.waitForFunction(
      `document.querySelector('[data-operation="watchEvents"] .status').textContent.startsWith('200')`,
    )
    await form.stop()

    const note = await form.text('.status ~ .soft')
    assert.equal(note, 'Stopped.')
  })

  await t.test(
    'every field has a label, and the curl command a placeholder for the key',
    async () => {
      const unlabelled = await page.evaluate(
        `[...document.querySelectorAll('input, select, textarea')].filter((one) => one.labels.length === 0).length`,
      )
      const form = await openForm(page, 'extractPage')

      assert.equal(unlabelled, 0)
      const curl = await form.text('.curl')
      assert.match(curl, /^curl -X POST 'http:.*\/v1\/extract'/)
      assert.ok(curl.includes('"X-Api-Key: $TRAWL_API_KEY"'))
    },
  )

  await t.test(
    'secrets are in no storage, URL or text, and no other origin was asked',
    async () => {
      const kept = await page.evaluate(
        `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.body.innerText])`,
      )

      for (const secret of [account.apiKey, account.password]) {
        assert.ok(!String(kept).includes(secret))
        assert.ok(!asked.some((one) => one.url.includes(secret)))
      }
      const foreign = asked.filter((one) => !one.url.startsWith(`${url}/`))
      assert.deepEqual(
        foreign.map((one) => one.url).filter((one) => !one.startsWith('data:')),
        [],
      )
      assert.deepEqual(complaints, [])
    },
  )

  await t.test('the key is gone after the page was left and opened again', async () => {
    await page.goto(`${url}/livez`)
    await page.goBack()
    await page.waitForSelector('html[data-try-it="ready"]')

    const value = await page.evaluate("document.querySelector('#credentials input').value")
    assert.equal(value, '')
  })
})

/** Opens the form of an operation, as a person with a keyboard does. */
async function openForm(page: Page, operationId: string) {
  const section = `section[data-operation="${operationId}"]`
  const isOpen = await page.$eval(`${section} details`, (one) => one.hasAttribute('open'))
  if (!isOpen) {
    await page.focus(`${section} details > summary`)
    await page.keyboard.press('Enter')
  }
  await page.waitForSelector(`${section} form`)
  const text = async (selector: string): Promise<string> =>
    String(await page.$eval(`${section} ${selector}`, (one) => one.textContent))
  const start = async () => {
    await page.focus(`${section} button[type=submit]`)
    await page.keyboard.press('Enter')
  }
  return {
    text,
    start,
    async stop() {
      await page.focus(`${section} button[type=button]`)
      await page.keyboard.press('Enter')
      await page.waitForSelector(`${section} button[type=submit]:enabled`)
    },
    async fill(parameter: string, value: string) {
      await page.type(`${section} [data-parameter="${parameter}"]`, value)
    },
    body: () => page.$eval(`${section} textarea`, (one) => (one as { value?: string }).value ?? ''),
    setBody: (value: string) =>
      page.$eval(
        `${section} textarea`,
        (one, given) => void Object.assign(one, { value: given }),
        value,
      ),
    async send() {
      await start()
      await page.waitForSelector(`${section} button[type=submit]:enabled`)
      return {
        status: await text('.status'),
        headers: await text('.headers'),
        body: await text('.response'),
        note: await text('.status ~ .soft'),
      }
    },
  }
}
