/** Batches and crawls as a person watches them, in a real browser and against a running service. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { type DashboardScene, openDashboardScene } from '../support/dashboard-scene.ts'
import { addLinkPages, linkPage } from '../support/link-pages.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { seriousFaults } from '../support/serious-faults.ts'

// What another account asks for.
const ofOthers = ['404 /v1/jobs/']

test('the pages of batches and crawls', async (t) => {
  const site = await startPageSite(t)
  addLinkPages(site, { '/': ['/a', '/b', '/broken', '/slow'], '/a': ['/a/1', '/a/2'], '/b': [] })
  addLinkPages(site, { '/a/1': [], '/a/2': [] })
  const broken = breakPage(site, '/broken')
  const slow = holdPage(site, '/slow')
  const { page, call, service, url, asked, complaints, ...scene } = await openDashboardScene(t, {
    refusals: ofOthers,
  })
  const { find, click, shows, hides, signIn } = scene
  const start = async (path: string, body: object): Promise<string> => {
    const response = await call(`POST ${path}`, { ...body, retry: false })
    assert.equal(response.statusCode, 202, response.text)
    return response.json().job_id
  }
  const crawlName = `Crawl of ${site.url('/')}`
  const mapName = 'Map of the crawl: 1 at depth 1, 4 at depth 2, 2 at depth 3'
  const ids = { crawl: '', batch: '' }

  await t.test('without a job the page shows how to start one', async () => {
    await page.goto(`${url}/app/jobs`)
    await signIn()

    await find('button', 'Copy: The next step')
    for (const kind of ['batch', 'crawl']) {
      const link = await find('link', `New ${kind}`)
      assert.equal(await hrefOf(link), `/app/playground#${kind}=%7B%7D`)
    }
  })

  await t.test('a crawl appears in the list, and its page follows it to the end', async () => {
    ids.crawl = await start('/v1/crawl', { url: site.url('/'), depth: 3 })
    await click('link', crawlName)
    await find('heading', crawlName)
    await slow.untilAsked()
    // The seed and three of the four pages that it links to; what is below /a waits for the fourth.
    await find('image', '80 % ended: 4 of 5 pages')
    await shows('1 pending')
    await shows('2 found and not chosen yet')
    await slow.release()

    await find('image', '100 % ended: 7 of 7 pages')
    await shows('6 completed')
    await shows('1 failed')
    assert.equal(page.url(), `${url}/app/jobs/${ids.crawl}`)
  })

  await t.test('the tree has each page below the one that it was found on', async () => {
    await find('link', '/a/2')
    await click('button', '2 pages found on /a')
    await page.waitForSelector('::-p-aria([name="/a/2"][role="link"])', { hidden: true })
    await click('button', '2 pages found on /a')
    const leaf = await find('link', '/a/2')

    assert.match((await hrefOf(leaf)) ?? '', /^\/app\/tasks\/[0-9a-f-]{36}$/)
    await shows('failed: NETWORK_ERROR')
    await shows('completed, 4 found here, 1 failed below')
    await find('image', mapName)
    for (const title of ['Map of the crawl', 'Pages by depth']) {
      await click('button', `Table of ${title}`)
      await find('table', 'Pages by depth and state')
      await click('button', `Table of ${title}`)
    }
  })

  await t.test('failed pages are listed with their error, and tried again', async () => {
    await (await find('combobox', 'Status of pages')).select('failed')
    await shows('TARGET_UNREACHABLE')
    assert.equal(page.url(), `${url}/app/jobs/${ids.crawl}?status=failed`)
    await find('link', site.url('/broken'))
    await click('button', 'Retry failed')

    await shows('1 page retried as tasks of their own')
  })

  await t.test('a batch counts live in the list', async () => {
    await click('link', 'Jobs')
    await find('heading', 'Jobs')
    const urls = ['/a', '/broken', '/slow'].map((path) => site.url(path))
    ids.batch = await start('/v1/batch', { urls: [...urls, 'nonsense'] })
    await shows('2 of 3, 1 failed')
    await (await find('combobox', 'Kind')).select('batch')
    await hides(crawlName)

    assert.equal(page.url(), `${url}/app/jobs?kind=batch`)
    await slow.release()
    await shows('3 of 3, 1 failed')
  })

  await t.test('the failed pages of a batch run again in the same batch', async () => {
    await click('link', 'Batch of 3 URLs')
    await shows('2 completed')
    await shows('nonsense')
    broken.mend()
    await click('button', 'Retry failed')

    await shows('3 completed')
    await hides('Retry failed')
  })

  await t.test('the results are a file that the browser saves', async () => {
    const { name, text } = await download(t, page, () => click('link', 'Download NDJSON'))

    const lines = text.trimEnd().split('\n')
    assert.equal(name, `${ids.batch}.ndjson`)
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).url),
      ['/a', '/broken', '/slow'].map((path) => site.url(path)),
    )
  })

  await t.test('a job is cancelled once that is confirmed', async () => {
    const held = await start('/v1/crawl', { url: site.url('/slow') })
    await slow.untilAsked()
    await page.goto(`${url}/app/jobs/${held}`)
    await click('button', 'Cancel the crawl')
    await find('dialog', 'Cancel the crawl?')
    await shows('No other page is begun.')
    await click('button', 'Cancel the crawl')

    await shows('what runs comes to its end')
    await slow.release()
    await hides('what runs comes to its end')
    await page.waitForSelector('::-p-aria([name="Cancel the crawl"])', { hidden: true })
  })

  const shown = () =>
    [
      ['', 'table', 'Jobs, the newest first'],
      [`/${ids.crawl}`, 'image', mapName],
      [`/${ids.batch}`, 'table', 'Pages of the job'],
    ] as const
  for (const theme of ['light', 'dark']) {
    await t.test(
      `axe finds nothing serious in the theme ${theme}, and a phone shows it all`,
      async () => {
        await (await find('combobox', 'Theme')).select(theme)
        for (const [address, role, name] of shown()) {
          await page.goto(`${url}/app/jobs${address}`)
          await find(role, name)
          assert.deepEqual(await seriousFaults(page), [], address)
          await page.setViewport({ width: 360, height: 740 })
          const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
          assert.ok(width <= 360, `${address} is ${width} px wide`)
          await page.setViewport({ width: 1280, height: 800 })
        }
      },
    )
  }

  await t.test('another account sees no job of the first one', async () => {
    await click('button', 'Sign out')
    await find('heading', 'Sign in to Trawl')
    await signIn(await service.createAccount())
    for (const id of [ids.crawl, ids.batch]) {
      await page.goto(`${url}/app/jobs/${id}`)
      await shows('There is no such job')
    }
    await click('link', 'Jobs')
    await shows('No batch or crawl yet')
  })

  await t.test('no other origin was asked, and the console had nothing to say', () => {
    assert.deepEqual(
      asked.filter((one) => !one.startsWith(`${url}/`)),
      [],
    )
    assert.deepEqual(complaints, [])
  })
})

const hrefOf = (link: Awaited<ReturnType<DashboardScene['find']>>): Promise<string | null> =>
  link.evaluate((element) => element.getAttribute('href'))

/** A page without a response, until it is mended. */
function breakPage(site: PageSite, path: string) {
  site.page(path, (_, response) => response.destroy())
  return { mend: () => site.page(path, linkPage([])) }
}

/** A page that responds once it is released. */
function holdPage(site: PageSite, path: string) {
  let held = Promise.withResolvers<ServerResponse>()
  site.page(path, (_, response) => held.resolve(response))
  return {
    untilAsked: () => held.promise,
    async release() {
      const response = await held.promise
      held = Promise.withResolvers()
      response.writeHead(200, { 'content-type': 'text/html' }).end(linkPage([]))
    },
  }
}

/** What the browser saves, and the name that it was given. */
async function download(t: TestContext, page: Page, begin: () => Promise<void>) {
  const folder = await scratchFolder(t)
  const devtools = await page.browser().target().createCDPSession()
  await devtools.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    downloadPath: folder,
    eventsEnabled: true,
  })
  const begun = new Promise<{ guid: string; suggestedFilename: string }>((resolve) => {
    devtools.once('Browser.downloadWillBegin', resolve)
  })
  const saved = new Promise<void>((resolve) => {
    devtools.on('Browser.downloadProgress', ({ state }) => {
      if (state === 'completed') resolve()
    })
  })
  await begin()
  const { guid, suggestedFilename } = await begun
  await saved
  return { name: suggestedFilename, text: await readFile(join(folder, guid), 'utf8') }
}
