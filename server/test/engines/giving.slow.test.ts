/** Cookies, storage and headers that the caller gives a page, and what is returned beside the HTML. */
import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import { startBrowserScene } from '../support/browser-scene.ts'
import { startPageSite } from '../support/page-site.ts'
import { startTestDns } from '../support/test-dns.ts'

const scripted = { js_render: true, mode: 'SPA' }
const all = { block_resources: false, optimizations: { loadOnlySameOriginRequests: false } }

test("a page's inputs and what is returned beside its HTML", async (t) => {
  const dns = await startTestDns(t, { 'www.shop.test': { addresses: ['127.0.0.1'] } })
  const { site, visit, html } = await startBrowserScene(t, { dnsServers: [dns.address] })
  const other = await startPageSite(t)

  await t.test('cookies are set for the target, or for the domain that they name', async () => {
    site.page('/cookies', '<p id=p></p><script>p.textContent = document.cookie</script>')
    const cookies = [
      { name: 'one', value: '1' },
      { name: 'two', value: '2', domain: '127.0.0.1' },
      { name: 'else', value: '3', domain: 'else.test' },
    ]

    const shown = await html('/cookies', { js_render: true, cookies })

    assert.match(shown, /one=1; two=2/)
    assert.doesNotMatch(shown, /else/)
    assert.equal(site.askedFor('/cookies')[0]?.headers.cookie, 'one=1; two=2')
  })

  await t.test('cookies with a domain are sent to its subdomains and no others', async () => {
    const cookies = [
      { name: 'covered', value: '1', domain: 'shop.test' },
      { name: '__Secure-plain', value: '2', domain: 'www.shop.test' },
      { name: '__Host-', value: '3', domain: 'www.shop.test' },
      { name: 'other', value: '4', domain: 'op.test' },
      { name: 'exact', value: '5', domain: '.www.shop.test' },
    ]

    await visit(`http://www.shop.test:${site.port}/cookies`, { js_render: true, cookies })

    assert.equal(site.askedFor('/cookies').at(-1)?.headers.cookie, 'covered=1; exact=5')
  })

  await t.test('localStorage is filled before the first script, and only once', async () => {
    site.page(
      '/storage',
      `<script>
        const seen = localStorage.getItem('kept')
        localStorage.setItem('kept', 'changed')
        if (!location.search) location.href = '?again=' + seen
        else document.write(location.search + ' then ' + seen)
      </script>`,
    )

    const shown = await html('/storage', { js_render: true, localStorage: { kept: 'given' } })

    assert.match(shown, /\?again=given then changed/)
  })

  await t.test('localStorage is filled for the origin of the target only', async () => {
    const kept = "localStorage.getItem('kept')"
    other.page('/frame-storage', `<script>top.postMessage(${kept}, '*')</script>`)
    other.page('/page-storage', `<script>document.write(location.search + '-' + ${kept})</script>`)
    site.page(
      '/own-storage',
      `<iframe src="${other.url('/frame-storage')}"></iframe><script>
        onmessage = ({ data }) => {
          location.href = '${other.url('/page-storage')}?' + ${kept} + '-' + data
        }
      </script>`,
    )

    const shown = await html('/own-storage', {
      ...scripted,
      ...all,
      localStorage: { kept: 'given' },
    })

    assert.match(shown, /\?given-null-null/)
  })

  await t.test("keep_headers: the caller's headers go to the target's documents only", async () => {
    site.page(
      '/headers',
      `<script src="/headers.js"></script><iframe src="${other.url('/in')}"></iframe>`,
    )
    other.page('/in', 'x')

    await visit(
      '/headers',
      { js_render: true, keep_headers: true, ...all },
      { forwardedHeaders: { 'x-own': 'mine', 'accept-language': 'fr', authorization: 'secret' } },
    )

    const [document] = site.askedFor('/headers')
    assert.equal(document?.headers['x-own'], 'mine')
    assert.equal(document?.headers['accept-language'], 'fr')
    assert.equal(document?.headers.authorization, undefined)
    assert.equal(site.askedFor('/headers.js')[0]?.headers['x-own'], undefined)
    assert.equal(other.askedFor('/in')[0]?.headers['x-own'], undefined)
  })

  await t.test('credentials in the URL are sent to the target only, and not returned', async () => {
    const asking = (body: string) => (request: IncomingMessage, response: ServerResponse) => {
      const isKnown = request.headers.authorization === `Basic ${btoa('me:s%cret')}`
      const head = { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="x"' }
      response.writeHead(isKnown ? 200 : 401, head).end(isKnown ? body : '<p>who?</p>')
    }
    const withUser = (path: string, user = 'me:s%cret') =>
      site.url(path).replace('//', `//${user}@`)
    const script =
      "fetch('/user.txt').then((a) => a.text()).then((text) => { p.textContent = text })"
    site.page('/user', asking(`<p id=p></p><script>${script}</script>`))
    site.page('/user.txt', asking('known'))
    other.page('/user', asking('known'))
    site.page('/user-elsewhere', (_, response) =>
      response.writeHead(302, { location: other.url('/user') }).end(),
    )

    const { page } = await visit(withUser('/user'), { ...scripted, debug: true })
    const wrong = await visit(withUser('/user', 'me:wrong'), scripted)
    const elsewhere = await visit(withUser('/user-elsewhere'), scripted)

    assert.match(Buffer.from(page.body).toString(), /<p id="p">known<\/p>/)
    assert.equal(page.url, site.url('/user'))
    assert.doesNotMatch(JSON.stringify(page.requests), /cret/)
    assert.deepEqual([wrong.page.statusCode, elsewhere.page.statusCode], [401, 401])
    assert.equal(other.askedFor('/user')[0]?.headers.authorization, undefined)
  })

  await t.test('headers and credentials are not sent after leaving the origin', async () => {
    const led = (to: string) => (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(302, { location: to }).end()
    const asking = (_: IncomingMessage, response: ServerResponse) =>
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('<p>who?</p>')
    site.page('/stay', led('/stay-end'))
    site.page('/stay-end', asking)
    site.page('/away', led(other.url('/away-end')))
    other.page('/away-end', asking)
    site.page('/round', led(other.url('/round-back')))
    other.page('/round-back', led(site.url('/round-end')))
    site.page('/round-end', asking)
    other.page('/scripted-back', `<script>location.href = '${site.url('/scripted-end')}'</script>`)
    site.page('/scripted', `<script>location.href = '${other.url('/scripted-back')}'</script>`)
    site.page('/scripted-end', asking)
    const told = async (path: string) => {
      await visit(
        site.url(path).replace('//', '//me:secret@'),
        { js_render: true, keep_headers: true },
        { forwardedHeaders: { 'x-own': 'mine' } },
      )
      const asked = [...site.askedFor(`${path}-end`), ...other.askedFor(`${path}-end`)]
      return asked.map(({ headers }) => [headers['x-own'], headers.authorization])
    }

    assert.deepEqual(await told('/stay'), [
      ['mine', undefined],
      ['mine', `Basic ${btoa('me:secret')}`],
    ])
    for (const path of ['/away', '/round', '/scripted']) {
      assert.deepEqual(await told(path), [[undefined, undefined]], path)
    }
  })

  await t.test('collect_data_from_requests returns the responses to fetch and XHR', async () => {
    site.page(
      '/collect',
      `<script>
        fetch('/collect.json', { method: 'POST', body: 'x' })
        const xhr = new XMLHttpRequest()
        xhr.open('GET', '/collect.txt')
        xhr.send()
        fetch('/collect.bin')
      </script>`,
    )
    site.page('/collect.json', (_, response) =>
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"a":"é"}'),
    )
    site.page('/collect.txt', (_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end('plain'),
    )
    const binary = Buffer.from([0, 255, 254, 128])
    site.page('/collect.bin', (_, response) =>
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(binary),
    )

    const { page } = await visit('/collect', { ...scripted, collect_data_from_requests: true })

    const byUrl = (page.collectedData ?? []).toSorted((a, b) => a.url.localeCompare(b.url))
    assert.deepEqual(byUrl, [
      {
        url: site.url('/collect.bin'),
        method: 'GET',
        statusCode: 200,
        contentType: 'application/octet-stream',
        body: binary.toString('base64'),
        truncated: false,
      },
      {
        url: site.url('/collect.json'),
        method: 'POST',
        statusCode: 201,
        contentType: 'application/json',
        body: '{"a":"é"}',
        truncated: false,
      },
      {
        url: site.url('/collect.txt'),
        method: 'GET',
        statusCode: 200,
        contentType: 'text/plain; charset=utf-8',
        body: 'plain',
        truncated: false,
      },
    ])
  })

  await t.test('collect_data_from_requests limits responses, their sum and number', async () => {
    const sizes = [
      9 * 2 ** 20,
      10,
      2 ** 21,
      2 ** 20,
      ...Array(9).fill(2 ** 20),
      10,
      ...Array(100).fill(5),
    ]
    site.page(
      '/collect-much',
      `<script>(async () => {
        for (const size of ${JSON.stringify(sizes)}) await (await fetch('/sized?' + size)).text()
        document.body.append('done')
      })()</script>`,
    )
    site.page('/sized', ({ url = '' }, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end('x'.repeat(Number(url.split('?')[1]))),
    )

    const { page } = await visit('/collect-much', {
      ...scripted,
      mode: 'SPA',
      collect_data_from_requests: true,
    })

    const brought = (page.collectedData ?? []).map(({ body, truncated }) => [
      body.length,
      truncated,
    ])
    assert.deepEqual(brought.slice(0, 5), [
      [0, true],
      [10, false],
      [2 ** 20, true],
      [2 ** 20, false],
      [2 ** 20, false],
    ])
    const all = brought.reduce((sum, [length]) => sum + Number(length), 0)
    assert.equal(all, 10 * 2 ** 20)
    assert.equal(brought.length, 100)
    assert.deepEqual(brought.at(-1), [0, true])
  })

  await t.test('collect_data_from_requests cuts binary bodies to decodable parts', async () => {
    const sizes = [...Array(9).fill(2 ** 20), 2 ** 20 - 6]
    site.page(
      '/collect-bytes',
      `<script>(async () => {
        for (const size of ${JSON.stringify(sizes)}) await (await fetch('/sized?' + size)).text()
        await (await fetch('/bytes')).text()
      })()</script>`,
    )
    site.page('/bytes', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/octet-stream' })
        .end(Buffer.alloc(9, 255)),
    )

    const { page } = await visit('/collect-bytes', {
      ...scripted,
      collect_data_from_requests: true,
    })

    const { body, truncated } = page.collectedData?.at(-1) ?? {}
    assert.deepEqual({ body, truncated }, { body: '////', truncated: true })
  })

  await t.test('the response format json has headers and the cookies that were set', async () => {
    site.page('/set', (_, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'x-two': ['a', 'b'],
          'set-cookie': [
            'first=1; HttpOnly; Path=/',
            'second=2; SameSite=Lax; Max-Age=60',
            'fourth=4; Secure; SameSite=None; Path=/set',
          ],
        })
        .end('<script>document.cookie = "third=3"</script>'),
    )
    const askedAtMs = Date.now()

    const { page } = await visit('/set', { js_render: true, response_format: 'json' })

    const endedAtMs = Date.now()
    assert.equal(page.headers['x-two'], 'a, b')
    assert.equal('set-cookie' in page.headers, false)
    const byName = page.cookies.toSorted((a, b) => a.name.localeCompare(b.name))
    const expiresMs = Date.parse(page.cookies.find(({ name }) => name === 'second')?.expires ?? '')
    assert(expiresMs > askedAtMs + 59_000 && expiresMs < endedAtMs + 61_000, `${expiresMs}`)
    const plain = {
      domain: '127.0.0.1',
      path: '/',
      expires: null,
      httpOnly: false,
      secure: false,
      sameSite: null,
    }
    assert.deepEqual(byName, [
      { ...plain, name: 'first', value: '1', httpOnly: true },
      { ...plain, name: 'fourth', value: '4', path: '/set', secure: true, sameSite: 'None' },
      {
        ...plain,
        name: 'second',
        value: '2',
        expires: new Date(expiresMs).toISOString(),
        sameSite: 'Lax',
      },
      { ...plain, name: 'third', value: '3' },
    ])
    assert.ok(page.bandwidth.received > 100 && page.bandwidth.sent > 100)
    assert.equal(page.bandwidth.requests, 1)
  })

  await t.test('the response format json tells domain cookies from host-only cookies', async () => {
    site.page('/set-wide', (_, response) =>
      response
        .writeHead(200, { 'set-cookie': ['wide=1; Domain=shop.test; SameSite=Strict', 'own=2'] })
        .end(),
    )

    const { page } = await visit(`http://www.shop.test:${site.port}/set-wide`, {
      ...scripted,
      response_format: 'json',
    })

    const told = page.cookies.map(({ name, domain, sameSite }) => [name, domain, sameSite])
    assert.deepEqual(told.sort(), [
      ['own', 'www.shop.test', null],
      ['wide', '.shop.test', 'Strict'],
    ])
  })

  await t.test("debug returns the page's console messages and its errors", async () => {
    site.page(
      '/console',
      `<script>console.log('one', 2, { three: 3 }); console.warn('two')</script>
      <script>nothing.there</script><script src="/missing.js"></script>`,
    )

    const { page } = await visit('/console', { ...scripted, debug: true })

    const [one, two, thrown, missing] = page.console ?? []
    assert.deepEqual(one, { level: 'log', text: 'one 2 Object' })
    assert.deepEqual(two, { level: 'warning', text: 'two' })
    assert.equal(thrown?.level, 'error')
    assert.match(thrown?.text ?? '', /^ReferenceError: nothing is not defined/)
    assert.match(missing?.text ?? '', /404/)
    assert.equal(page.console?.length, 4)
  })
})
