/** Which resources a page loads: blocked types, same origin only, skipped domains. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowserScene } from '../support/browser-scene.ts'
import { startPageSite } from '../support/page-site.ts'

const scripted = { js_render: true, mode: 'SPA' }
const all = { block_resources: false, optimizations: { loadOnlySameOriginRequests: false } }

/** One of everything that a page can load, from a host. */
const everything = (from: string, name: string) => `<!doctype html>
  <link rel=stylesheet href="${from}/${name}.css">
  <style>@font-face { font-family: own; src: url(${from}/${name}.woff2) } p { font-family: own }</style>
  <p>text</p><img src="${from}/${name}.png"><video src="${from}/${name}.mp4" preload=auto></video>
  <iframe src="${from}/${name}.html"></iframe>
  <script src="${from}/${name}.js"></script>
  <script>
    fetch('${from}/${name}.json').catch(() => undefined)
    new Worker(URL.createObjectURL(new Blob(["fetch('${from}/${name}-worker.json').catch(() => undefined)"])))
    navigator.sendBeacon('${from}/${name}-beacon')
  </script>`

/** Asks for what is its own, some times after the file was given. */
const leadsTo = (file: string) => `<p>here</p><script type=module>
  location.href = '${file}'
  for (let times = 0; times < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const answer = await fetch('/is-given').catch(() => undefined)
    if (await answer?.text() === 'true') times += 1
  }
  document.body.insertAdjacentHTML('beforeend', '<i id=asked></i>')
</script>`

test('what a page loads', async (t) => {
  const { site, visit, html } = await startBrowserScene(t)
  const other = await startPageSite(t)
  const askedBy = (name: string) =>
    [...site.asked, ...other.asked].filter((path) => path.startsWith(`/${name}`)).sort()

  await t.test('a page loads no images, styles, media or fonts by default', async () => {
    site.page('/default', everything(site.origin, 'default'))

    await visit('/default', scripted)

    assert.deepEqual(askedBy('default'), [
      '/default',
      '/default-beacon',
      '/default-worker.json',
      '/default.html',
      '/default.js',
      '/default.json',
    ])
  })

  await t.test('a page loads everything with block_resources off', async () => {
    site.page('/open', everything(site.origin, 'open'))

    await visit('/open', { ...scripted, block_resources: false })

    assert.deepEqual(askedBy('open'), [
      '/open',
      '/open-beacon',
      '/open-worker.json',
      '/open.css',
      '/open.html',
      '/open.js',
      '/open.json',
      '/open.mp4',
      '/open.png',
      '/open.woff2',
    ])
  })

  await t.test('a page, its workers and frames load only their own origin by default', async () => {
    site.page('/foreign', everything(other.origin, 'foreign'))

    await visit('/foreign', { ...scripted, block_resources: false })

    assert.deepEqual(askedBy('foreign'), ['/foreign'])
  })

  await t.test('a page loads from everywhere with loadOnlySameOriginRequests off', async () => {
    site.page('/mixed', everything(other.origin, 'mixed'))

    await visit('/mixed', { ...scripted, ...all })

    assert.deepEqual(askedBy('mixed'), [
      '/mixed',
      '/mixed-beacon',
      '/mixed-worker.json',
      '/mixed.css',
      '/mixed.html',
      '/mixed.js',
      '/mixed.json',
      '/mixed.mp4',
      '/mixed.png',
      '/mixed.woff2',
    ])
  })

  await t.test('after a redirect, same origin means the origin of the final document', async () => {
    site.page('/moved', (_, response) =>
      response.writeHead(302, { location: other.url('/moved-there') }).end(),
    )
    other.page(
      '/moved-there',
      `<script src="${site.url('/moved-back.js')}"></script><script src="/moved-own.js"></script>`,
    )

    const { page } = await visit('/moved', scripted)

    assert.equal(page.url, other.url('/moved-there'))
    assert.deepEqual(askedBy('moved'), ['/moved', '/moved-own.js', '/moved-there'])
  })

  await t.test('a navigation by script to another origin is followed', async () => {
    site.page('/leave', `<script>location.href = '${other.url('/leave-there')}'</script>`)
    other.page('/leave-there', '<p>there</p><script src="/leave-own.js"></script>')

    assert.match(await html('/leave', scripted), /<p>there<\/p>/)
    assert.deepEqual(askedBy('leave'), ['/leave', '/leave-own.js', '/leave-there'])
  })

  for (const [what, headers] of Object.entries({
    'a download': { 'content-disposition': 'attachment' },
    'a file that the browser cannot show': { 'content-type': 'application/zip' },
  })) {
    await t.test(`a page that leads to ${what} elsewhere still loads its own`, async () => {
      let isGiven = false
      other.page('/given', (_, response) => {
        isGiven = true
        response.writeHead(200, headers).end('data')
      })
      site.page('/is-given', (_, response) => response.end(String(isGiven)))
      site.page('/gives', leadsTo(other.url('/given')))

      const shown = await html('/gives', { ...scripted, waitForSelector: '#asked' })

      assert.match(shown, /<p>here/)
    })
  }

  await t.test('skipDomains: nothing is loaded from hosts that contain one of them', async () => {
    const foreign = `http://localhost:${other.port}`
    site.page('/skip', everything(foreign, 'skip'))
    const optimizations = { loadOnlySameOriginRequests: false, skipDomains: ['localh'] }

    await visit('/skip', { ...scripted, block_resources: false, optimizations })

    assert.deepEqual(askedBy('skip'), ['/skip'])
  })

  await t.test('skipDomains: only the document is loaded from its own skipped host', async () => {
    const events = `<script>new EventSource('/own-events')</script>`
    site.page('/own', everything(site.origin, 'own') + events)
    const optimizations = { loadOnlySameOriginRequests: false, skipDomains: ['7.0.0.1'] }

    const { page } = await visit('/own', {
      ...scripted,
      block_resources: false,
      optimizations,
      debug: true,
    })

    assert.deepEqual(askedBy('own'), ['/own'])
    assert.equal(page.bandwidth.requests, 1)
    const notBlocked = page.requests.filter(({ isBlocked }) => !isBlocked).map(({ url }) => url)
    assert.deepEqual(
      notBlocked.filter((url) => url.startsWith('http')),
      [site.url('/own')],
    )
  })

  await t.test('skipDomains: nothing is loaded from a skipped host after a redirect', async () => {
    const elsewhere = await startPageSite(t, { host: '127.0.0.2' })
    elsewhere.page('/led', (_, response) =>
      response.writeHead(302, { location: site.url('/led-there') }).end(),
    )
    site.page('/led-there', everything(site.origin, 'led-own') + everything('', 'led-near'))
    const optimizations = { skipDomains: ['7.0.0.1'] }

    const { page } = await visit(elsewhere.url('/led'), { ...scripted, optimizations })

    assert.equal(page.url, site.url('/led-there'))
    assert.deepEqual(askedBy('led'), ['/led-there'])
  })

  await t.test('skipDomains: a URL with a skipped domain in its path is loaded', async () => {
    site.page('/elsewhere', '<script src="/elsewhere-ads.js?ads"></script>')
    const optimizations = { skipDomains: ['ads', '*'] }

    await visit('/elsewhere', { ...scripted, optimizations })

    assert.deepEqual(askedBy('elsewhere'), ['/elsewhere', '/elsewhere-ads.js?ads'])
  })

  await t.test('debug says which requests were loaded and which were blocked', async () => {
    const frame = `<iframe src="${other.url('/told-frame')}"></iframe>`
    site.page('/told', everything(site.origin, 'told') + frame)

    const { page } = await visit('/told', { ...scripted, debug: true, response_format: 'json' })

    const told = page.requests.map(
      ({ url, type, isBlocked }) => `${new URL(url).pathname} ${type} ${isBlocked}`,
    )
    assert.ok(told.includes('/told document false'), told.join())
    assert.ok(told.includes('/told.png image true'), told.join())
    assert.ok(told.includes('/told.json fetch false'), told.join())
    assert.ok(told.includes('/told.html document false'), told.join())
    assert.ok(told.includes('/told-frame document true'), told.join())
  })
})
