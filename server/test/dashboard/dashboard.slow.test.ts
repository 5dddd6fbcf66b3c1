/** The dashboard as a person uses it, by role and name, in a real browser and against a running service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { startPageSite } from '../support/page-site.ts'
import { closedPortUrl } from '../support/scrape-calls.ts'
import { seriousFaults } from '../support/serious-faults.ts'

const pageNames = [
  'Overview',
  'Playground',
  'Tasks',
  'Jobs',
  'Webhooks',
  'Access',
  'Proxies',
  'Domains',
  'System',
]
const firstLoadBytesMax = 200_000

test('the dashboard', async (t) => {
  const site = await startPageSite(t)
  site.page('/article', '<title>Cod</title><h1>Cod</h1>')
  const scene = await openDashboardScene(t, {
    // A session ends, and the connection is cut.
    refusals: ['401 /v1/', 'net::ERR_'],
  })
  const { page, operator, call, service, gateway, url, asked, complaints } = scene
  const { find, click, type, shows, hides, signIn } = scene
  const scrape = (target: string) =>
    call('POST /v1/extract', { url: target, formats: ['markdown'], retry: false })

  await t.test('a wrong password is refused with a reason that is read out', async () => {
    await page.goto(`${url}/app/tasks?status=failed`)
    await type('textbox', 'Account name', operator.username)
    await type('textbox', 'Password', 'wrong')
    await click('button', 'Sign in')

    const alert = await page.waitForSelector('[role="alert"]')

    assert.notEqual(await (await alert?.getProperty('textContent'))?.jsonValue(), '')
  })

  await t.test('signing in shows the page whose address was opened', async () => {
    await page.goto(`${url}/app/tasks?status=failed`)

    await signIn()

    await find('heading', 'Tasks')
    assert.equal(page.url(), `${url}/app/tasks?status=failed`)
    assert.equal(await page.title(), 'Tasks · Trawl')
  })

  await t.test('an empty page shows the next step as a command to copy', async () => {
    await page.goto(`${url}/app/tasks`)

    await find('button', 'Copy: The next step')
  })

  await t.test(
    'a task appears in the list without a reload, and filters are the address',
    async () => {
      await scrape(site.url('/article'))
      await shows(site.url('/article'))
      await type('textbox', 'Host', 'no/host')
      await shows('Not valid, so it does not filter.')
      await click('link', 'Tasks')
      await hides('Not valid, so it does not filter.')
      const host = await (await find('textbox', 'Host')).getProperty('value')
      assert.equal(await host.jsonValue(), '')
      await scrape(closedPortUrl)
      await shows(closedPortUrl)

      await (await find('combobox', 'Status')).select('failed')
      await hides(site.url('/article'))

      assert.equal(page.url(), `${url}/app/tasks?status=failed`)
      await shows(closedPortUrl)
    },
  )

  await t.test('chosen tasks are retried, and the list says how that went', async () => {
    await click('checkbox', `Select ${closedPortUrl}`)
    await shows('1 selected')
    await click('button', 'Retry selected')
    await shows('1 retried')
    await shows('2 tasks')
  })

  await t.test('the overview shows what was scraped, and every chart has a table', async () => {
    await click('link', 'Overview')
    await find('heading', 'Overview')
    await find('heading', 'Success')
    await shows('2 failed in the last hour')
    await shows('127.0.0.1')
    for (const title of [
      'Throughput in the last hour',
      'Latency in the last hour',
      'Mix of failures in the last hour',
      'Tasks by day in a year',
    ]) {
      await find('figure', title)
      await click('button', `Table of ${title}`)
      await find('table', title)
      await click('button', `Table of ${title}`)
    }
  })

  await t.test('pages are reached by keys, and ? lists them', async () => {
    await page.keyboard.press('?')
    await find('dialog', 'Keyboard shortcuts')
    await page.keyboard.press('Escape')
    await page.waitForSelector('[role="dialog"]', { hidden: true })

    await page.keyboard.press('g')
    await page.keyboard.press('d')

    await find('heading', 'Domains')
  })

  await t.test('the first key of a page leads past the navigation', async () => {
    await page.goto(`${url}/app/domains`)
    await find('heading', 'Domains')

    await page.keyboard.press('Tab')
    assert.equal(await focused(page), 'Skip to the content')
    await page.keyboard.press('Enter')

    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
  })

  await t.test('every page works on a phone, without scrolling sideways', async () => {
    await page.setViewport({ width: 360, height: 740 })
    for (const name of pageNames) {
      await click('link', name)
      await find('heading', name)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(width <= 360, `${name} is ${width} px wide`)
    }
    await page.setViewport({ width: 1280, height: 800 })
  })

  for (const theme of ['Light', 'Dark']) {
    await t.test(`axe finds nothing serious on any page in the theme ${theme}`, async () => {
      await (await find('combobox', 'Theme')).select(theme.toLowerCase())
      for (const name of pageNames) {
        await click('link', name)
        await find('heading', name)
        await page.waitForNetworkIdle({ concurrency: 1, idleTime: 200 })
        assert.deepEqual(await seriousFaults(page), [], `${name}, ${theme}`)
      }
    })
  }

  await t.test('on paper a page is its content, light and with its charts', async () => {
    await click('link', 'Overview')
    await find('figure', 'Tasks by day in a year')
    await page.emulateMediaType('print')

    await page.waitForSelector('::-p-aria([name="Main"][role="navigation"])', { hidden: true })
    const { scheme, empty } = (await page.evaluate(`({
      scheme: getComputedStyle(document.documentElement).colorScheme,
      empty: [...document.querySelectorAll('figure')]
        .filter((one) => !one.querySelector('canvas, svg')?.checkVisibility())
        .map((one) => one.textContent),
    })`)) as { scheme: string; empty: string[] }
    assert.equal(scheme, 'light')
    assert.deepEqual(empty, [])
    await page.waitForFunction(hasLightBars)
    await page.emulateMediaType('screen')
  })

  await t.test(
    'a session that ended leads to the sign-in page, and back to where one was',
    async () => {
      await page.goto(`${url}/app/domains`)
      await find('heading', 'Domains')
      const [cookie] = await page.browserContext().cookies()
      await fetch(`${url}/v1/session`, {
        method: 'DELETE',
        headers: { cookie: `${cookie?.name}=${cookie?.value}` },
      })

      await find('heading', 'Sign in to Trawl')
      await signIn()

      await find('heading', 'Domains')
      assert.equal(page.url(), `${url}/app/domains`)
    },
  )

  await t.test('a lost connection is shown, and mended', async () => {
    gateway.cut()
    await shows('The connection to the service is lost.')
    gateway.mend()

    await hides('The connection to the service is lost.')
  })

  await t.test('signing out leaves nothing of the account in the page', async () => {
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')

    assert.deepEqual(await page.browserContext().cookies(), [])
    const kept = String(
      await page.evaluate(
        'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.body.innerHTML])',
      ),
    )
    for (const secret of [
      operator.password,
      operator.apiKey,
      operator.username,
      '127.0.0.1:1025',
    ]) {
      assert.ok(!kept.includes(secret), secret)
      assert.ok(!asked.some((one) => one.includes(operator.password)))
    }
  })

  await t.test('an API key signs in too', async () => {
    await click('tab', 'API key')
    await type('textbox', 'API key', operator.apiKey)
    await click('button', 'Sign in')
    await find('navigation', 'Main')
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
  })

  await t.test('a link signs in once, and leaves the address and the history at once', async () => {
    const { url: link } = await service.createSignInLink(operator.username)
    const token = link.split('=')[1] ?? ''
    await page.goto('about:blank')
    await page.goto(link)
    await find('heading', 'Overview')
    const devtools = await page.createCDPSession()
    const { entries } = await devtools.send('Page.getNavigationHistory')

    assert.equal(page.url(), `${url}/app/overview`)
    assert.ok(token.length > 20)
    assert.deepEqual(
      entries.filter((entry) => entry.url.includes(token)),
      [],
    )
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
    await page.goto('about:blank')
    await page.goto(link)
    await page.waitForSelector('[role="alert"]')
    assert.equal(page.url(), `${url}/`)
  })

  await t.test('sign-in page and overview load at most 200 KB', async () => {
    await page.goto(`${url}/`)
    await signIn()
    await find('heading', 'Success by domain in 30 days')
    const names = (await page.evaluate(
      'performance.getEntriesByType("resource").map(({ name }) => name)',
    )) as string[]
    let bytes = 0
    for (const name of new Set(names.filter((one) => one.startsWith(`${url}/app/assets/`)))) {
      const { headers } = await fetch(name, {
        method: 'HEAD',
        headers: { 'accept-encoding': 'gzip' },
      })
      bytes += Number(headers.get('content-length'))
    }

    t.diagnostic(`${bytes} bytes of scripts and styles`)
    assert.ok(bytes > 10_000 && bytes <= firstLoadBytesMax, `${bytes} bytes`)
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
  })

  await t.test(
    'another account sees nothing of the first one, nor of the whole service',
    async () => {
      const other = await service.createAccount()
      await page.goto(`${url}/app/tasks`)
      await signIn(other)
      await find('button', 'Copy: The next step')
      for (const name of ['Proxies', 'System']) {
        await click('link', name)
        await find('heading', name)
        await shows('Sign in with its first account to see it.')
      }
      await click('link', 'Domains')
      await shows('No domain was scraped')
      await click('link', 'Overview')
      await shows('Nothing was scraped in the last hour')
    },
  )

  await t.test('no other origin was asked, and the console had nothing to say', () => {
    const foreign = asked.filter((one) => !/^(data|about):/.test(one) && !one.startsWith(`${url}/`))
    assert.deepEqual(foreign, [])
    assert.deepEqual(complaints, [])
  })
})

/** Whether a canvas has the colour of completed tasks as it is in the light theme; a canvas is drawn anew for that. */
const hasLightBars = `[...document.querySelectorAll('canvas')].some((canvas) => {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] === 0x00 && data[at + 1] === 0x72 && data[at + 2] === 0xb2) return true
  }
  return false
})`

const focused = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.textContent'))
