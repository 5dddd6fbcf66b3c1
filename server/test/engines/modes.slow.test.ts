/** The option mode: when a page counts as finished. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { startBrowserScene } from '../support/browser-scene.ts'
import { inGoodTime } from '../support/in-good-time.ts'

const scripted = { js_render: true }
/** Says on the page what has happened so far. */
const telling = `<!doctype html><body><script>
  addEventListener('DOMContentLoaded', () => document.body.append('parsed '))
  addEventListener('load', () => document.body.append('loaded '))
</script>`

test('waiting for a page in the browser', async (t) => {
  const scene = await startBrowserScene(t)
  const { site, html, visit } = scene
  const never = () => undefined

  await t.test('load, the default: the page is read after the load event', async () => {
    site.page('/load', `${telling}<script src="/slow.js"></script>`)
    site.page('/slow.js', (_, response) => setTimeout(() => response.end(''), 300))

    assert.match(await html('/load', scripted), /parsed loaded/)
  })

  await t.test('load: a page without a load event fails with TARGET_TIMEOUT', async () => {
    site.page('/stuck', `${telling}<script src="/never.js" async></script>`)
    site.page('/never.js', never)

    await assertFails('TARGET_TIMEOUT', visit('/stuck', scripted, { timeoutMs: 1_500 }))
  })

  await t.test('domLoaded: the page is read once parsed, while resources load', async () => {
    site.page(
      '/dom',
      `${telling}<script src="/never.js" async></script><iframe src="/never"></iframe>`,
    )
    site.page('/never', never)

    const shown = await html('/dom', { ...scripted, mode: 'domLoaded' })

    assert.match(shown, /parsed <\/body>/)
  })

  await t.test('documentLoaded: the HTML is as received, while resources load', async () => {
    const source = `<p>as  it <b>came</p><script>document.body.innerHTML = "changed"</script>
      <script src="/never.js"></script><iframe src="/never"></iframe>`
    site.page('/received', source)
    site.page('/never.js', never)

    assert.equal(await html('/received', { ...scripted, mode: 'documentLoaded' }), source)
  })

  await t.test('documentLoaded: the HTML is as received, also after waitForSelector', async () => {
    const source =
      '<p id=late></p><script>document.getElementById("late").textContent = "x"</script>'
    site.page('/received-late', source)
    const options = { ...scripted, mode: 'documentLoaded', waitForSelector: '#late' }

    assert.equal(await html('/received-late', options), source)
  })

  await t.test('SPA: data that is fetched after load is in the page', async () => {
    site.page(
      '/spa',
      `<p id=app></p><script>
        onload = () => setTimeout(() => fetch('/data').then((a) => a.text()).then((text) => {
          setTimeout(() => { app.textContent = text }, 100)
        }), 200)
      </script>`,
    )
    site.page('/data', (_, response) => setTimeout(() => response.end('brought'), 400))

    assert.match(await html('/spa', { ...scripted, mode: 'SPA' }), /brought/)
    assert.doesNotMatch(await html('/spa', scripted), /brought/)
  })

  await t.test('SPA: a page has time to fetch data after load, however late that was', async () => {
    site.page(
      '/slow-spa',
      `<p id=app></p><script src="/slower.js" async></script><script>
        onload = () => setTimeout(() => fetch('/data').then((a) => a.text()).then((text) => {
          app.textContent = text
        }), 400)
      </script>`,
    )
    site.page('/slower.js', (_, response) => setTimeout(() => response.end(''), 800))

    assert.match(await html('/slow-spa', { ...scripted, mode: 'SPA' }), /brought/)
  })

  await t.test('SPA: pending requests of the previous document are not waited for', async () => {
    site.page('/stream', (_, response) => void response.writeHead(200).write('x'))
    site.page(
      '/left',
      `<iframe srcdoc="<script>
        fetch('/never')
        onload = () => { location.href = '/arrived' }
      </script>"></iframe>
      <script>
        if (!location.search) fetch('/stream').then(() => { location.href = '?again' })
      </script>`,
    )
    site.page('/arrived', '<p>arrived</p>')

    const { page } = await visit('/left', { ...scripted, mode: 'SPA' }, { timeoutMs: 15_000 })

    assert.equal(page.url, site.url('/left?again'))
    assert.equal(page.isWaitCutShort, false)
  })

  await t.test('SPA: a page that is never quiet is read at the deadline and flagged', async () => {
    site.page(
      '/restless',
      `<p id=p></p><script>
        fetch('/held')
        setInterval(() => { p.textContent += "." }, 20)
      </script>`,
    )
    // A page that a busy machine does not run changes nothing, but it still waits for this.
    site.page('/held', () => undefined)

    const { page } = await inGoodTime(6_000, (timeoutMs) =>
      visit('/restless', { ...scripted, mode: 'SPA' }, { timeoutMs }),
    )

    assert.equal(page.isWaitCutShort, true)
    assert.match(Buffer.from(page.body).toString(), /\.\./)
  })

  for (const mode of ['SPA', 'longPolling']) {
    await t.test(`${mode}: a page without load is read at the deadline and flagged`, async () => {
      const { page } = await inGoodTime(6_000, (timeoutMs) =>
        visit('/stuck', { ...scripted, mode }, { timeoutMs }),
      )

      assert.equal(page.isWaitCutShort, true)
      assert.match(Buffer.from(page.body).toString(), /parsed <\/body>/)
    })

    await t.test(`${mode}: a document that never ends fails with TARGET_TIMEOUT`, async () => {
      site.page('/endless', (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).write('<p>begun</p>')
      })

      await assertFails(
        'TARGET_TIMEOUT',
        visit('/endless', { ...scripted, mode }, { timeoutMs: 2_000 }),
      )
    })
  }

  await t.test('SPA: the page is waited for again after a scenario', async () => {
    site.page(
      '/again',
      `<button id=b>b</button><p id=app></p><script>
      onclick = () => setTimeout(() => fetch('/data').then((a) => a.text()).then((text) => {
        app.textContent = text
      }), 300)
    </script>`,
    )
    const actions = [
      { action: 'wait', value: 600 },
      { action: 'click', selector: '#b' },
    ]

    assert.match(
      await html('/again', { ...scripted, mode: 'SPA', js_scenario: { actions } }),
      /brought/,
    )
  })

  await t.test('longPolling: DOM changes are waited for, pending requests are not', async () => {
    const changing = (changes: number) => `<p id=p></p><script>
      fetch('/never')
      let left = ${changes}
      const change = () => {
        left -= 1
        p.textContent = left + ' left'
        if (left > 0) setTimeout(change, 300)
      }
      onload = change
    </script>`
    site.page('/never', never)
    site.page('/changing', changing(10))
    site.page('/changed', changing(1))
    const poll = async (path: string) => {
      const startedAtMs = performance.now()
      const { page } = await visit(path, { ...scripted, mode: 'longPolling' })
      const tookMs = performance.now() - startedAtMs
      assert.match(Buffer.from(page.body).toString(), />0 left</)
      assert.equal(page.isWaitCutShort, false)
      return tookMs
    }

    const changingMs = await poll('/changing')
    await poll('/changed')

    // Ten changes, 300 ms apart.
    assert(changingMs > 2_690, `${changingMs} ms`)
  })

  await t.test('waitForSelector: elements that scripts add are waited for', async () => {
    site.page(
      '/later',
      '<script>setTimeout(() => { document.body.innerHTML = "<i id=x>y</i>" }, 400)</script>',
    )

    assert.match(await html('/later', { ...scripted, waitForSelector: 'i#x' }), /<i id="x">y<\/i>/)
  })

  await t.test('waitForSelector: a missing element fails with SELECTOR_NOT_FOUND', async () => {
    const options = { ...scripted, waitForSelector: '#no-such' }

    const visited = inGoodTime(6_000, (timeoutMs) => visit('/later', options, { timeoutMs }))
    await assertFails('SELECTOR_NOT_FOUND', visited)
  })

  await t.test('waitForSelector: elements in frames and shadow roots are not found', async () => {
    site.page('/inner', '<p class=inner>in the frame</p>')
    site.page(
      '/outer',
      `<iframe src="/inner"></iframe><div id=host></div><script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<p class=inner>in the shadow</p>'
      </script>`,
    )
    const options = { ...scripted, waitForSelector: '.inner' }

    const visited = inGoodTime(3_000, (timeoutMs) => visit('/outer', options, { timeoutMs }))
    await assertFails('SELECTOR_NOT_FOUND', visited)
  })

  await t.test('waitForSelector: an invalid selector fails at once', async () => {
    await assertFails('SELECTOR_NOT_FOUND', visit('/later', { ...scripted, waitForSelector: 'p[' }))
  })

  await t.test('js_render off: no script of the page runs', async () => {
    site.page(
      '/off',
      '<p>still</p><script>document.body.innerHTML = "run"</script><noscript>none</noscript>',
    )

    const shown = await html('/off', { waitForSelector: 'p' })

    assert.match(shown, /<p>still<\/p>/)
    assert.match(await html('/off', scripted), /<body>run/)
  })

  for (const [name, way] of [
    [
      'a redirect',
      (_: string, to: string) => ({ status: 302, headers: { location: to }, body: '' }),
    ],
    ['a script', (_: string, to: string) => ({ body: `<script>location.href = '${to}'</script>` })],
    [
      'a script after load',
      (_: string, to: string) => ({
        body: `<script>onload = () => location.replace('${to}')</script>`,
      }),
    ],
    [
      'meta refresh',
      (_: string, to: string) => ({ body: `<meta http-equiv=refresh content="0;url=${to}">` }),
    ],
    [
      'a Refresh header',
      (_: string, to: string) => ({ headers: { refresh: `0;url=${to}` }, body: 'x' }),
    ],
  ] as const) {
    await t.test(`a navigation by ${name} is followed`, async () => {
      const path = `/on-${name.replaceAll(' ', '-')}`
      const { body, ...head } = way(path, '/arrived')
      const { status = 200, headers = {} } = head as { status?: number; headers?: object }
      site.page(path, (_, response) =>
        response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body),
      )
      site.page('/arrived', '<p>arrived</p>')

      const { page } = await visit(path, scripted)

      assert.equal(page.url, site.url('/arrived'))
      assert.match(Buffer.from(page.body).toString(), /<p>arrived<\/p>/)
    })
  }

  for (const [name, body] of [
    ['reloads itself', '<script>location.reload()</script>'],
    ['navigates to itself', '<script>location.href = "?" + Math.random()</script>'],
  ] as const) {
    await t.test(`a page that ${name} for ever fails with TOO_MANY_REDIRECTS`, async () => {
      const path = `/round-${name.split(' ')[0]}`
      site.page(path, body)

      await assertFails('TOO_MANY_REDIRECTS', visit(path, scripted))
    })
  }

  await t.test('a page with an error status is returned like any other', async () => {
    site.page('/gone', (_, response) =>
      response.writeHead(410, { 'content-type': 'text/html', 'x-why': 'old' }).end('<p>gone</p>'),
    )

    const { page } = await visit('/gone', scripted)

    assert.equal(page.statusCode, 410)
    assert.equal(page.headers['x-why'], 'old')
    assert.match(Buffer.from(page.body).toString(), /gone/)
  })

  await t.test('a response without a body is returned as an empty page', async () => {
    site.page('/nothing', (_, response) => response.writeHead(204).end())

    for (const mode of ['load', 'domLoaded', 'documentLoaded', 'SPA', 'longPolling']) {
      const { page } = await visit('/nothing', { ...scripted, mode })

      assert.deepEqual(
        [page.statusCode, page.url, page.body.length],
        [204, site.url('/nothing'), 0],
      )
    }
  })

  await t.test('a download fails with BAD_RESPONSE', async () => {
    site.page('/file', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' })
        .end('PK'),
    )

    await assertFails('BAD_RESPONSE', visit('/file', scripted))
  })

  await t.test('is_json_response: JSON is requested and returned unchanged', async () => {
    const written = '{ "long": 12345678901234567890 }'
    site.page('/json', (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(written),
    )

    site.page('/to-json', (_, response) => response.writeHead(302, { location: '/json' }).end())

    assert.equal(await html('/to-json', { ...scripted, is_json_response: true }), written)
    for (const path of ['/to-json', '/json']) {
      const [request] = site.askedFor(path)
      assert.equal(request?.headers.accept, 'application/json, text/plain, */*')
      assert.equal(request?.headers['accept-language'], 'en-US,en;q=0.9')
    }
  })

  await t.test('is_json_response: a kept accept header wins', async () => {
    const options = { ...scripted, is_json_response: true, keep_headers: true }
    const forwardedHeaders = { accept: 'application/ld+json' }

    await visit('/json', options, { forwardedHeaders })

    assert.equal(site.askedFor('/json').at(-1)?.headers.accept, 'application/ld+json')
  })

  await t.test('the HTML has no content of frames and shadow roots', async () => {
    site.page('/frame', '<p>in the frame</p>')
    site.page(
      '/parts',
      `<iframe src="/frame"></iframe><div id=host></div><script>
        host.attachShadow({ mode: 'open' }).innerHTML = '<p>in the shadow</p>'
      </script>`,
    )

    const shown = await html('/parts', scripted)

    assert.match(shown, /<iframe src="\/frame"><\/iframe><div id="host"><\/div>/)
  })
})
