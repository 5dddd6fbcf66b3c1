/** `session`: one cookie jar for both engines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extract, extracted, failureIn, once } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestDns } from '../support/test-dns.ts'
import { onBothStores } from '../support/test-service.ts'

const hosts = ['shop.example.com', 'www.shop.example.com', 'other.example.org']

onBothStores((kind, start) => {
  test(`${kind}: a session of both engines`, async (t) => {
    const site = await startPageSite(t)
    const addresses = ['127.0.0.1']
    const dns = await startTestDns(t, Object.fromEntries(hosts.map((one) => [one, { addresses }])))
    const service = await start(t, {
      environment: {
        ...reachingLoopback,
        ...(await withBrowser()),
        TRAWL_DNS_SERVERS: dns.address,
      },
    })
    const html = { 'content-type': 'text/html' }
    const at = (host: string, path: string) => `http://${host}:${site.port}${path}`
    site.page('/set', (request, response) => {
      const cookies = new URL(request.url ?? '', site.origin).searchParams.getAll('cookie')
      response.writeHead(200, { ...html, 'set-cookie': cookies }).end('<p>set</p>')
    })
    site.page('/sent', (request, response) => {
      const sent = (request.headers.cookie ?? 'none').split('; ').sort().join('; ')
      response.writeHead(200, html).end(`<p>${sent}</p>`)
    })

    /** A session of an account of its own, in which either engine visits pages. */
    async function openSession(session: string) {
      const account = await service.createAccount()
      const visit = (url: string, render_js: boolean, more: object = {}) =>
        extracted(account, { url, render_js, session, formats: ['text'], ...more })
      return {
        account,
        visit,
        set: (render_js: boolean, cookies: string[], host = '127.0.0.1') => {
          const query = new URLSearchParams(
            cookies.map((one) => ['cookie', one] as [string, string]),
          )
          return visit(at(host, `/set?${query}`), render_js)
        },
        sent: async (render_js: boolean, host = '127.0.0.1') =>
          (await visit(at(host, '/sent'), render_js)).data.text,
      }
    }

    await t.test('a cookie goes from HTTP to the browser and back', async () => {
      const { set, sent } = await openSession('there')
      await set(false, ['a=1', 'b=1; HttpOnly; SameSite=Strict', 'c=1; Max-Age=600; Secure'])
      const named = 'i=1; Domain=127.0.0.1'
      await set(false, ['__Host-h=1; Secure; Path=/', 'n=1; SameSite=None', named])

      assert.equal(await sent(true), '__Host-h=1; a=1; b=1; c=1; i=1; n=1')
      await set(true, ['d=1', 'a=2', 'b=; Max-Age=0', '__Host-i=1; Secure; Path=/'])
      const both = '__Host-h=1; __Host-i=1; a=2; c=1; d=1; i=1; n=1'
      assert.equal(await sent(false), both)
      assert.equal(await sent(true), both)
    })

    await t.test(
      'the browser continues an attempt with the cookies of its HTTP response',
      async () => {
        const { account } = await openSession('continued')
        const asked: (string | undefined)[] = []
        site.page('/app', ({ headers }, response) => {
          asked.push(headers.cookie)
          const page = '<body><div id=root></div><script>root.textContent = "drawn"</script>'
          response.writeHead(200, { ...html, 'set-cookie': 'seen=1' }).end(page)
        })

        const request = { url: site.url('/app'), session: 'continued', formats: ['text'] }
        const { data, metadata } = await extracted(account, { ...request, render_js: 'auto' })

        assert.deepEqual([data.text, metadata.engine], ['drawn', 'browser'])
        assert.deepEqual(asked, [undefined, 'seen=1'])
      },
    )

    await t.test('a partitioned cookie goes from either engine to the other', async () => {
      const { set, sent } = await openSession('partition')
      await set(true, ['a=1; Secure; SameSite=None; Partitioned'])
      await set(false, ['b=1; Secure; SameSite=None; Partitioned'])

      for (const isBrowser of [true, false, true]) assert.equal(await sent(isBrowser), 'a=1; b=1')
    })

    await t.test('a cookie that a script sets is sent over HTTP', async () => {
      const { visit, sent } = await openSession('script')
      site.page('/script', '<p>x</p><script>document.cookie = "a=1; path=/"</script>')
      await visit(site.url('/script'), true)

      assert.equal(await sent(false), 'a=1')
    })

    await t.test(
      'scripts see the cookies of the session, but not those for HTTP only',
      async () => {
        const { visit, set } = await openSession('seen')
        site.page('/read', '<p></p><script>document.body.textContent = document.cookie</script>')
        await set(false, ['open=1', 'hidden=1; HttpOnly'])

        assert.equal((await visit(site.url('/read'), true)).data.text, 'open=1')
      },
    )

    for (const isSetByBrowser of [false, true]) {
      const [from, to] = isSetByBrowser ? ['browser', 'HTTP'] : ['HTTP', 'browser']
      await t.test(`hosts, domains and paths hold from ${from} to ${to}`, async () => {
        const { set, sent } = await openSession('scope')
        const cookies = [
          'host=1',
          'wide=1; Domain=shop.example.com',
          'deep=1; Domain=shop.example.com; Path=/deep',
          'safe=1; Secure',
          'foreign=1; Domain=other.example.org',
          'suffix=1; Domain=com',
        ]
        await set(isSetByBrowser, cookies, 'www.shop.example.com')

        for (const isBrowser of [false, true]) {
          assert.equal(await sent(isBrowser, 'www.shop.example.com'), 'host=1; wide=1')
          assert.equal(await sent(isBrowser, 'shop.example.com'), 'wide=1')
          assert.equal(await sent(isBrowser, 'other.example.org'), 'none')
          assert.equal(await sent(isBrowser), 'none')
        }
      })
    }

    await t.test('a page in a browser reaches no cookies of other hosts', async () => {
      const { set, visit, sent } = await openSession('hosts')
      await set(true, ['secret=1'], 'shop.example.com')
      const script = `document.cookie = 'secret=2; domain=shop.example.com; path=/'
        document.cookie = 'x=1; domain=example.com; path=/'
        document.body.textContent = document.cookie || 'none'`
      site.page('/attack', `<p></p><script>${script}</script>`)

      const { data } = await visit(at('other.example.org', '/attack'), true)

      assert.equal(data.text, 'none')
      assert.equal(await sent(false, 'shop.example.com'), 'secret=1')
      assert.equal(await sent(true, 'shop.example.com'), 'secret=1')
    })

    await t.test('a failed visit leaves the cookies as they were', async () => {
      const { account, set, sent } = await openSession('failed')
      await set(true, ['a=1'])
      const script = 'document.cookie = "b=2; path=/"'
      site.page('/never', `<p>x</p><script>${script}</script>`)

      const response = await extract(account, {
        url: site.url('/never'),
        render_js: true,
        session: 'failed',
        wait_config: { wait_for: '#never' },
        timeout: 3000,
        ...once,
      })

      assert.equal(failureIn(response).error.code, 'WAIT_FOR_SELECTOR_TIMEOUT')
      assert.equal(await sent(true), 'a=1')
    })

    await t.test('a cookie of the caller replaces that of the session in a browser', async () => {
      const { set, visit, sent } = await openSession('caller')
      await set(true, ['a=1'])

      const { data } = await visit(site.url('/sent'), true, { headers: { Cookie: 'a=2' } })

      assert.equal(data.text, 'a=2')
      assert.equal(await sent(false), 'a=2')
    })
  })
})
