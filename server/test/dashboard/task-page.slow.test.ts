/** The page of one task, and what the list of tasks does with many, in a real browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { farSchedule } from '../support/delivery-scene.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { callbackPath, closedPortUrl } from '../support/scrape-calls.ts'
import { seriousFaults } from '../support/serious-faults.ts'
import { startTestReceiver } from '../support/test-receiver.ts'

const hostileAnswer = '<img src=x onerror=alert(1)> come back later'
const scripted = `<title>Hake</title><h1>Hake</h1><img src="/blocked.png">
<script>console.log('<b>cast</b> the net'); fetch('/data.json')</script>`

test('the page of a task', async (t) => {
  const site = await startPageSite(t)
  site.page('/article', '<title>Cod</title><h1>Cod</h1><script>alert(1)</script>')
  site.page('/large', `<title>Large</title><p>${'tuna '.repeat(210_000)}</p>`)
  site.page('/scripted', scripted)
  site.page('/data.json', '{}')
  const slow = await startHoldingSite(t)
  const receiver = await startTestReceiver(t)
  receiver.behave((_received, response) => void response.writeHead(503).end(hostileAnswer))
  const scene = await openDashboardScene(t, {
    environment: { ...(await withBrowser()), TRAWL_DELIVERY_SCHEDULE: farSchedule },
    refusals: ['404 /v1/tasks/'],
  })
  const { page, call, service, url, complaints } = scene
  const { find, click, shows, hides, signIn } = scene
  const extract = async (body: object): Promise<string> =>
    String((await call('POST /v1/extract', { formats: ['markdown'], ...body })).headers['x-job-id'])
  const start = async (target: string): Promise<string> =>
    (await call('POST /v1/extract', { url: target, processing_mode: 'async' })).json().job_id
  const open = async (id: string) => {
    await page.goto(`${url}/app/tasks/${id}`)
    await find('heading', 'Task')
  }
  const idOnPage = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''

  await t.test('a scraped page shows its waterfall, as a picture and as a table', async () => {
    await page.goto(`${url}/app/tasks/${await extract({ url: site.url('/article') })}`)
    await signIn()

    await find('heading', 'Task')
    await find('figure', 'Waterfall')
    await page.waitForSelector('svg[aria-label^="Waterfall: 1 attempt"]')
    await shows('HTTP 200')
    await click('button', 'Table of Waterfall')
    await find('table', 'Waterfall')
    await shows('First byte')
    await click('button', 'Table of Waterfall')
  })

  await t.test('its content is in a frame that runs nothing, and in tabs as text', async () => {
    const frame = await page.waitForSelector('iframe')
    assert.equal(await frame?.evaluate((element) => element.getAttribute('sandbox')), '')
    const content = await frame?.contentFrame()
    await content?.waitForSelector('::-p-text(Cod)')

    await click('tab', 'Markdown')
    await shows('# Cod')
    await click('tab', 'JSON')
    await shows('"markdown": "# Cod')
    await click('tab', 'Headers')
    await find('table', 'Response headers')
    await click('tab', 'Attempts')
    await find('table', 'Attempts')
    await shows('A screenshot: ask for the format screenshot')
  })

  await t.test('a large result is read when it is wanted, and shown in part', async () => {
    await open(await extract({ url: site.url('/large') }))
    await click('tab', 'Markdown')
    await click('button', 'Load it here')

    await shows('characters are shown; the file has all.')
    const length = Number(await page.$eval('pre', ({ textContent }) => textContent.length))
    assert.equal(length, 200_000)
  })

  await t.test('a rendered page has its network, console and screenshot', async () => {
    await open(
      await extract({
        url: site.url('/scripted'),
        formats: ['markdown', 'screenshot'],
        render_js: true,
        configurations: { debug: true, block_resources: true },
      }),
    )
    await shows('Render')
    await click('tab', 'Requests')
    await find('figure', 'Page network')
    await click('button', 'Table of Page network')
    await shows(site.url('/data.json'))
    await shows('blocked')
    await click('tab', 'Console')
    await shows('<b>cast</b> the net')
    await click('tab', 'Screenshot')
    const image = await find('image', 'The page as drawn')
    await page.waitForFunction('document.querySelector("img").naturalWidth > 0')
    assert.ok(await image.isVisible())
  })

  await t.test('a failed task shows every attempt, and what to do', async () => {
    await open(
      await extract({
        url: closedPortUrl,
        configurations: { retries: { useRetries: true, maxRetries: 1 } },
      }),
    )
    await find('region', 'Failure')
    await shows('Check the host and the port')
    await page.waitForSelector('svg[aria-label^="Waterfall: 2 attempts"]')
    const drawn = await page.$$eval('.time-picture text', (texts) =>
      texts.map((one) => one.textContent),
    )
    assert.ok(drawn.includes('Attempt 1 (HTTP) ✕ TARGET_UNREACHABLE'), drawn.join())
    assert.equal((await page.$$('rect[data-kind="failed"][fill^="url("]')).length, 2)
  })

  await t.test('a callback shows each try, and can be sent again', async () => {
    const { requestId } = (
      await call(`POST ${callbackPath}`, {
        url: site.url('/article'),
        callbackUrl: `${receiver.url}/callback`,
      })
    ).json()
    await receiver.arrivals(1)
    await open(requestId)
    await click('tab', 'Deliveries')
    await shows(hostileAnswer)
    await shows('pending')
    receiver.behave((_received, response) => void response.end('thanks'))

    await click('button', 'Send again Callback')

    await receiver.arrivals(2)
    await shows('thanks')
    await shows('delivered')
    assert.deepEqual(await seriousFaults(page), [])
    receiver.behave((_received, response) => void response.end('thanks again'))
    await click('button', 'Send again Callback')
    await shows('thanks again')
  })

  await t.test('the key r replays it, as a new task and without its callback', async () => {
    const before = idOnPage()
    await page.keyboard.press('?')
    await shows('Replay the task of the page')
    await page.keyboard.press('Escape')
    await page.waitForSelector('[role="dialog"]', { hidden: true })

    await page.keyboard.press('r')

    await find('link', before)
    await shows('completed')
    const after = (await call(`GET /v1/tasks/${idOnPage()}`)).json()
    assert.equal(after.retry_of, before)
    assert.deepEqual([after.callback_url, after.deliveries], [null, []])
  })

  await t.test('a running task is shown live, and can be cancelled', async () => {
    const id = await start(slow.url('/cancelled'))
    await slow.untilHeld('/cancelled')
    await open(id)
    await shows('processing')

    await click('button', 'Cancel')

    await shows('cancelled')
    await find('button', 'Replay')
  })

  await t.test('what happens to a running task appears by itself', async () => {
    const id = await start(slow.url('/live'))
    const held = await slow.untilHeld('/live')
    await open(id)
    await shows('processing')

    held.answer()

    await shows('completed')
    await find('tab', 'Preview')
  })

  await t.test('chosen tasks are cancelled, and a row that changes glows', async () => {
    await page.goto(`${url}/app/tasks?status=processing`)
    await find('heading', 'Tasks')
    await shows('No task fits these filters')
    for (const name of ['/a', '/b', '/c']) {
      await start(slow.url(name))
      await slow.untilHeld(name)
      await shows(slow.url(name))
    }
    await page.waitForSelector('tr[data-changed]')
    await click('checkbox', `Select ${slow.url('/a')}`)

    await click('button', 'Cancel selected')

    await shows('1 cancelled')
    await hides(slow.url('/a'))
    await click('checkbox', 'Select all loaded')
    await shows('2 selected')
  })

  await t.test('all that match are cancelled, once that is confirmed', async () => {
    await click('button', 'Cancel all that match')
    await find('dialog', 'Cancel all that match')
    await shows('2 tasks. Each that has not ended is cancelled')
    await click('button', 'Cancel them')
    await shows('2 cancelled')
    await click('button', 'Close')
    await shows('No task fits these filters')
  })

  await t.test('all that match are retried, those of the filters only', async () => {
    await (await find('combobox', 'Status')).select('')
    await (await find('combobox', 'Error code')).select('TARGET_UNREACHABLE')
    await shows('1 task')
    await click('button', 'Retry all that match')
    await click('button', 'Retry them')
    await shows('1 retried')
    await click('button', 'Close')
    await shows('2 tasks')

    await click('link', closedPortUrl)
    await find('heading', 'Task')
  })

  await t.test('it works on a phone, and axe finds nothing serious in either theme', async () => {
    await open(await extract({ url: site.url('/article') }))
    await find('figure', 'Waterfall')
    await page.setViewport({ width: 360, height: 740 })
    const names = ['Preview', 'Markdown', 'JSON', 'Headers', 'Requests', 'Attempts']
    for (const name of names) {
      await click('tab', name)
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(width <= 360, `${name} is ${width} px wide`)
    }
    await page.setViewport({ width: 1280, height: 800 })
    for (const theme of ['light', 'dark']) {
      await (await find('combobox', 'Theme')).select(theme)
      for (const name of ['Preview', 'JSON', 'Requests']) {
        await click('tab', name)
        assert.deepEqual(await seriousFaults(page), [], `${name}, ${theme}`)
      }
    }
  })

  await t.test('another account is told that there is no such task', async () => {
    const id = idOnPage()
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
    await signIn(await service.createAccount())

    await shows('There is no such task')
    assert.equal(idOnPage(), id)
    assert.ok(!String(await page.evaluate('document.body.innerText')).includes(site.origin))
  })

  await t.test('nothing of a page or receiver was run, and the console was silent', () => {
    // The browser reports that the frame of a preview kept out a script, an image and axe.
    const kept =
      /^(?:Blocked script execution in|Loading the image|Failed to execute 'postMessage')/
    const others = complaints.filter((one) => !kept.test(one))
    assert.deepEqual(others, [])
    assert.ok(complaints.length > 0)
  })
})
