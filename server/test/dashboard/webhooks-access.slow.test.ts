/** The pages Webhooks and Access as a person uses them, in a real browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { farSchedule } from '../support/delivery-scene.ts'
import { startPageSite } from '../support/page-site.ts'
import { seriousFaults } from '../support/serious-faults.ts'
import { respondWith, startTestReceiver } from '../support/test-receiver.ts'

const hostileAnswer = '<img src="x" onerror="alert(1)">'
const forwardedAddress = '203.0.113.9'

test('webhooks and access in the dashboard', async (t) => {
  const site = await startPageSite(t)
  site.page('/article', '<title>Cod</title><h1>Cod</h1>')
  const receiver = await startTestReceiver(t)
  const scene = await openDashboardScene(t, {
    environment: { TRAWL_DELIVERY_SCHEDULE: farSchedule, TRAWL_TRUST_PROXY: '127.0.0.1' },
    // What another account opens, and what was being read when somebody signed out.
    refusals: ['404 /v1/webhooks/', '401 /v1/webhooks/'],
  })
  const { page, operator, call, service, url, asked, complaints } = scene
  const { find, click, type, shows, hides, signIn } = scene
  const scrape = () =>
    call('POST /v1/extract', { url: site.url('/article'), formats: ['markdown'], retry: false })
  const secrets: string[] = []
  /** Reads what a dialog shows once, closes it, and waits until it is gone. */
  const takeSecret = async (label: string): Promise<string> => {
    const shown = await find('region', label)
    const secret = await shown.evaluate((element) => element.textContent)
    secrets.push(secret)
    await click('button', 'Close')
    await hides(secret)
    return secret
  }
  const openNewestDelivery = async () => {
    const table = '::-p-aria([role="table"][name="Deliveries"])'
    await (await page.waitForSelector(`${table} tbody a`))?.click()
    await find('figure', 'Delivery timeline')
  }
  let webhookPage = ''

  await t.test('a webhook is created, and its secret is shown once', async () => {
    await page.goto(`${url}/app/webhooks`)
    await signIn()
    await find('button', 'Copy: The next step')
    await click('button', 'New webhook')
    await type('textbox', 'URL', `${receiver.url}/hook`)
    await type('textbox', 'Description', 'orders')
    await click('button', 'Create')
    await shows('Copy it now: it is shown this once')
    await find('button', 'Copy: Secret of the webhook')

    assert.match(await takeSecret('Secret of the webhook'), /^whsec_/)

    await shows('Nothing sent yet')
    await click('link', `${receiver.url}/hook`)
    await find('heading', 'Webhook')
    webhookPage = page.url()
  })

  await t.test('a test event says what the receiver answered', async () => {
    await click('button', 'Send a test event')

    await shows('The test event arrived: the receiver answered 200')
  })

  await t.test('the delivery of a task appears by itself, with its body and attempts', async () => {
    await scrape()
    await find('cell', 'delivered')
    await openNewestDelivery()
    await shows('Attempt 1')
    const body = await (await find('region', 'Body that is posted')).evaluate(
      (element) => element.textContent,
    )
    const [, event] = await receiver.arrivals(2, '/hook')
    await click('button', 'Table of Delivery timeline')

    await find('table', 'Delivery timeline')
    assert.equal(body, event?.body.toString())
    await click('button', 'Table of Delivery timeline')
  })

  await t.test('a failing receiver shows what it said, and when it is tried again', async () => {
    receiver.behave((_received, response) => response.writeHead(500).end(hostileAnswer))
    await scrape()
    await find('cell', 'pending')
    await find('cell', '500')
    await openNewestDelivery()

    await shows('The receiver answered 500.')
    await shows(hostileAnswer)
    await shows('Next attempt in ')
  })

  await t.test('axe finds nothing serious, and a phone does not scroll sideways', async () => {
    for (const address of [page.url(), `${url}/app/webhooks`, `${url}/app/access`]) {
      await page.goto(address)
      await page.waitForNetworkIdle({ concurrency: 1, idleTime: 200 })
      for (const theme of ['light', 'dark']) {
        await (await find('combobox', 'Theme')).select(theme)
        assert.deepEqual(await seriousFaults(page), [], `${address}, ${theme}`)
      }
      await page.setViewport({ width: 360, height: 740 })
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(width <= 360, `${address} is ${width} px wide`)
      await page.setViewport({ width: 1280, height: 800 })
    }
  })

  await t.test('a rotated secret is shown once, and signs beside the old one', async () => {
    await page.goto(webhookPage)
    await click('button', 'Rotate the secret')
    await shows('signs beside it for 24 hours')
    await click('button', 'Rotate')

    const secret = await takeSecret('New secret of the webhook')

    assert.match(secret, /^whsec_/)
    assert.notEqual(secret, secrets[0])
  })

  await t.test('a delivery is sent once more, and then waits for nothing', async () => {
    receiver.behave(respondWith(200))
    await openNewestDelivery()
    await shows('Next attempt in ')
    await click('button', 'Resend')
    await shows('Attempt 2')

    await hides('Next attempt in ')
    const signatures = String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ')
    assert.equal(signatures.length, 2)
  })

  await t.test('what a paused webhook has missed is recovered', async () => {
    const arrivedCount = receiver.received.length
    await click('button', 'Pause')
    await shows('listed as skipped')
    await scrape()
    await find('cell', 'skipped')
    await click('button', 'Resume')
    await find('button', 'Pause')
    await click('button', 'Recover…')
    await click('button', 'Recover')
    await shows('1 sent again.')
    await click('button', 'Close')
    await receiver.arrivals(arrivedCount + 1)

    await (await find('combobox', 'Status')).select('skipped')
    await shows('No delivery fits.')
    assert.match(page.url(), /[?&]status=skipped/)
    await (await find('combobox', 'Status')).select('')
  })

  await t.test(
    'a webhook is changed; one whose receiver is gone says why it is paused',
    async () => {
      await click('button', 'Edit')
      await type('textbox', 'Description', ' and returns')
      await click('button', 'Save')
      await shows('orders and returns')
      receiver.behave(respondWith(410))
      await scrape()

      await shows('Its receiver answered 410 (Gone).')
      await find('button', 'Resume')
    },
  )

  await t.test('another account finds nothing of it', async () => {
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
    await page.goto(webhookPage)
    await signIn(await service.createAccount())
    await shows('There is no such webhook.')
    await click('link', 'Webhooks')
    await shows('No webhook yet')
    await click('link', 'Access')
    await shows('No address yet')
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
  })

  await t.test('a webhook is deleted once that is confirmed', async () => {
    await page.goto(webhookPage)
    await signIn()
    await click('button', 'Delete')
    await find('dialog', 'Delete?')
    await (await page.waitForSelector('[role="dialog"] ::-p-aria([name="Delete"])'))?.click()

    await shows('No webhook yet')
    assert.equal(page.url(), `${url}/app/webhooks`)
  })

  await t.test('a key is created, shown once, works, and stops when it is revoked', async () => {
    const statusWith = async (key: string) =>
      (await callApi(service.url, 'GET /v1/session', { headers: { 'x-api-key': key } })).statusCode
    await click('link', 'Access')
    await click('button', 'New key')
    await type('textbox', 'Name', 'nightly')
    await click('button', 'Create')
    const key = await takeSecret('The new API key')
    assert.equal(await statusWith(key), 200)

    await click('button', 'Revoke nightly')
    await find('dialog', 'Revoke?')
    await click('button', 'Revoke')
    await page.waitForSelector('::-p-aria([name="Revoke nightly"])', { hidden: true })
    await page.waitForFunction('document.activeElement.id === "content"')

    assert.equal(await statusWith(key), 401)
  })

  await t.test('addresses are added together, described and removed', async () => {
    await click('button', 'Add addresses')
    await type('textbox', 'Addresses', '198.51.100.7\n2001:db8::/48')
    await type('textbox', 'Note', 'office')
    await click('button', 'Add')
    await find('cell', '2001:db8::/48')
    await click('button', 'Edit note of 198.51.100.7')
    await type('textbox', 'Note', ' printer')
    await click('button', 'Save')
    await find('cell', 'office printer')
    await click('button', 'Remove 2001:db8::/48')
    await click('button', 'Remove')

    await hides('2001:db8::/48')
  })

  await t.test('my address is not offered on loopback, and added from elsewhere', async () => {
    const button = await find('button', 'Add my address')
    assert.equal(await button.evaluate((element) => element.hasAttribute('disabled')), true)
    await shows('You are on the machine of the service (127.0.0.1)')

    await page.setExtraHTTPHeaders({ 'x-forwarded-for': forwardedAddress })
    await page.reload()
    await shows(`The service sees you as ${forwardedAddress}.`)
    await click('button', 'Add my address')
    await find('dialog', 'Add my address?')
    await (
      await page.waitForSelector('[role="dialog"] ::-p-aria([name="Add my address"])')
    )?.click()
    await shows(`Your address, ${forwardedAddress}, is on the list.`)
    await find('cell', `${forwardedAddress} yours`)
    await page.setExtraHTTPHeaders({})
  })

  await t.test('who has signed in with a key is told what opens the page', async () => {
    await click('button', 'Sign out')
    await click('tab', 'API key')
    await type('textbox', 'API key', operator.apiKey)
    await click('button', 'Sign in')

    await shows('An API key does not open this page')
  })

  await t.test('no secret is left in the page, its storage or an address', async () => {
    const kept = String(
      await page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, history.state, document.documentElement.innerHTML])',
      ),
    )

    assert.equal(secrets.length, 3)
    for (const secret of secrets) {
      assert.ok(!kept.includes(secret))
      assert.ok(!asked.some((one) => one.includes(secret)))
    }
  })

  await t.test('no other origin was asked, and the console had nothing to say', () => {
    const foreign = asked.filter((one) => !/^(data|about):/.test(one) && !one.startsWith(`${url}/`))
    assert.deepEqual(foreign, [])
    assert.deepEqual(complaints, [])
  })
})
