/** `session`: extractions that share a cookie jar, over HTTP. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import type { Database } from '../../src/storage/database.ts'
import { sql } from '../../src/storage/statement.ts'
import {
  extract,
  extracted,
  failureIn,
  faultsOfExtraction,
  once,
  submitExtraction,
  untilEnded,
} from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestDns } from '../support/test-dns.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const hosts = ['shop.example.com', 'www.shop.example.com', 'other.example.org']

const minute = 60_000

/** As if the sessions had not been used for so long. */
const ageSessions = (db: Database, ms: number) =>
  db.run(sql<never>`update sessions set last_used_at_ms = last_used_at_ms - ${ms}`)

onBothStores((kind, start) => {
  test(`${kind}: an extraction with a session`, async (t) => {
    const site = await startPageSite(t)
    const addresses = ['127.0.0.1']
    const dns = await startTestDns(t, Object.fromEntries(hosts.map((one) => [one, { addresses }])))
    const service = await start(t, {
      environment: { ...reachingLoopback, TRAWL_DNS_SERVERS: dns.address },
    })
    const { db } = await service.openBeside()
    const at = (host: string, path: string) => `http://${host}:${site.port}${path}`
    const html = { 'content-type': 'text/html' }

    site.page('/set', (request, response) => {
      const cookies = new URL(request.url ?? '', site.origin).searchParams.getAll('cookie')
      response.writeHead(200, { ...html, 'set-cookie': cookies }).end('<p>set</p>')
    })
    site.page('/sent', (request, response) =>
      response.writeHead(200, html).end(`<p>${request.headers.cookie ?? 'none'}</p>`),
    )
    site.page('/reset', (request) => void request.socket.resetAndDestroy())

    const set = (account: TestAccount, session: string, ...cookies: string[]) =>
      extracted(account, { url: settingUrl(...cookies), session })
    const settingUrl = (...cookies: string[]) =>
      `${site.url('/set')}?${new URLSearchParams(cookies.map((one) => ['cookie', one] as [string, string]))}`
    const sent = async (account: TestAccount, more: object): Promise<string> => {
      const request = { url: site.url('/sent'), formats: ['text'], ...more }
      return (await extracted(account, request)).data.text ?? ''
    }

    await t.test(
      'a cookie that one extraction got is sent by the next, sync or async',
      async () => {
        const account = await service.createAccount()
        const id = await submitExtraction(account, { url: settingUrl('a=1'), session: 'cart' })
        await untilEnded(account, id)
        await set(account, 'cart', 'b=2')

        assert.equal(await sent(account, { session: 'cart' }), 'a=1; b=2')
      },
    )

    await t.test('others see nothing: no session, another name, another account', async () => {
      const [account, stranger] = [await service.createAccount(), await service.createAccount()]
      await set(account, 'cart', 'a=1')

      assert.equal(await sent(account, {}), 'none')
      assert.equal(await sent(account, { session: 'Cart' }), 'none')
      assert.equal(await sent(stranger, { session: 'cart' }), 'none')
      await set(stranger, 'cart', 'b=2')
      assert.equal(await sent(account, { session: 'cart' }), 'a=1')
    })

    await t.test(
      'cookies go where browsers send them, and no site sets those of others',
      async () => {
        const account = await service.createAccount()
        const session = 'scope'
        const cookies = [
          'host=1',
          'wide=1; Domain=shop.example.com',
          'deep=1; Domain=shop.example.com; Path=/deep',
          'safe=1; Domain=shop.example.com; Secure',
          'foreign=1; Domain=other.example.org',
          'suffix=1; Domain=com',
        ].map((one) => ['cookie', one] as [string, string])
        const url = at('www.shop.example.com', `/set?${new URLSearchParams(cookies)}`)
        await extracted(account, { url, session })
        const sentTo = (host: string) => sent(account, { url: at(host, '/sent'), session })

        assert.equal(await sentTo('www.shop.example.com'), 'host=1; wide=1')
        assert.equal(await sentTo('shop.example.com'), 'wide=1')
        assert.equal(await sentTo('other.example.org'), 'none')
        assert.equal(await sentTo('127.0.0.1'), 'none')
      },
    )

    await t.test('cookies that a request brings join the session', async () => {
      const account = await service.createAccount()
      const session = 'login'
      const configurations = { cookies: [{ name: 'a', value: '1' }] }
      const headers = { Cookie: 'b=2' }

      assert.equal(await sent(account, { session, configurations, headers }), 'a=1; b=2')
      assert.equal(await sent(account, { session }), 'a=1; b=2')
      assert.equal(await sent(account, { session, headers: { Cookie: 'b=3' } }), 'a=1; b=3')
    })

    await t.test('a session is gone 30 minutes after its last use', async () => {
      const account = await service.createAccount()
      await set(account, 'old', 'a=1')
      await ageSessions(db, 29 * minute)
      assert.equal(await sent(account, { session: 'old' }), 'a=1')
      await ageSessions(db, 29 * minute)
      assert.equal(await sent(account, { session: 'old' }), 'a=1')
      await ageSessions(db, 31 * minute)

      assert.equal(await sent(account, { session: 'old' }), 'none')
      await set(account, 'old', 'b=2')
      assert.equal(await sent(account, { session: 'old' }), 'b=2')
    })

    await t.test(
      'a failed extraction leaves the session as it was and is a use of it',
      async () => {
        const account = await service.createAccount()
        const session = 'kept'
        await set(account, session, 'a=1')
        await ageSessions(db, 29 * minute)
        site.page('/half', (_, response) =>
          response.writeHead(302, { 'set-cookie': 'b=2', location: '/reset' }).end(),
        )

        for (const path of ['/reset', '/half']) {
          failureIn(await extract(account, { url: site.url(path), session, ...once }))
        }
        await ageSessions(db, 29 * minute)

        assert.equal(await sent(account, { session }), 'a=1')
      },
    )

    await t.test('a retry sends the cookies of the response before it', async () => {
      const account = await service.createAccount()
      site.page('/busy', (request, response) => {
        const status = request.headers.cookie === 'pass=1' ? 200 : 503
        response.writeHead(status, { ...html, 'set-cookie': 'pass=1' }).end(`<p>${status}</p>`)
      })

      const { metadata } = await extracted(account, { url: site.url('/busy'), session: 'busy' })

      assert.deepEqual([metadata.http_status, metadata.retry_count], [200, 1])
    })

    await t.test('a response whose extraction fails has set its cookies all the same', async () => {
      const account = await service.createAccount()
      site.page('/challenge', (_, response) =>
        response
          .writeHead(403, { ...html, 'cf-mitigated': 'challenge', 'set-cookie': 'seen=1' })
          .end('<p>challenge</p>'),
      )

      const session = 'challenge'
      failureIn(await extract(account, { url: site.url('/challenge'), session, ...once }))

      assert.equal(await sent(account, { session }), 'seen=1')
    })

    await t.test('of two extractions at once the one that ends last is kept', async () => {
      const account = await service.createAccount()
      const session = 'both'
      const waiting = new Map<string, ServerResponse>()
      site.page('/wait', (request, response) => {
        waiting.set(request.url?.split('?')[1] ?? '', response)
      })
      const begin = (name: string) =>
        submitExtraction(account, { url: site.url(`/wait?${name}`), session })
      const [first, second] = [await begin('first'), await begin('second')]
      await until(() => waiting.size === 2)

      for (const [name, id] of [
        ['second', second],
        ['first', first],
      ] as const) {
        waiting
          .get(name)
          ?.writeHead(200, { ...html, 'set-cookie': `by=${name}` })
          .end('<p>x</p>')
        await untilEnded(account, id)
      }

      assert.equal(await sent(account, { session }), 'by=first')
    })

    await t.test('max_age answers no request with a session, and no result of one', async () => {
      const account = await service.createAccount()
      let count = 0
      site.page('/count', (_, response) => response.writeHead(200, html).end(`<p>${++count}</p>`))
      const request = { url: site.url('/count'), max_age: minute }

      await extracted(account, { ...request, session: 'a' })
      await extracted(account, { ...request, session: 'a' })
      const plain = await extracted(account, request)
      const hit = await extracted(account, request)
      const named = await extracted(account, { ...request, session: 'a' })

      assert.equal(count, 4)
      assert.deepEqual(
        [plain, hit, named].map(({ metadata }) => metadata.cached),
        [undefined, true, undefined],
      )
    })

    await t.test('a name is 1 to 64 letters, digits, dots, underscores and hyphens', async () => {
      const account = await service.createAccount()
      for (const session of ['', 'a b', 'ä', 'a/b', 'a\n', 'x'.repeat(65), 7, {}]) {
        const response = await extract(account, { url: site.url('/sent'), session })
        const [fault = ''] = faultsOfExtraction(response)
        assert.match(fault, /^body\.session /, JSON.stringify(session))
      }
      for (const session of ['a', 'A.b_c-9', 'x'.repeat(64), null]) {
        assert.equal(await sent(account, { session }), 'none')
      }
    })

    await t.test('a flood of cookies is cut to the limits of a session', async () => {
      const account = await service.createAccount()
      const flood = Array.from({ length: 300 }, (_, index) => `c${index}=1`)
      await set(account, 'flood', ...flood)

      const names = (await sent(account, { session: 'flood' })).split('; ')

      assert.deepEqual([names.length, names[0], names.at(-1)], [50, 'c250=1', 'c299=1'])
    })

    await t.test('a session that no key opens any more begins anew', async () => {
      const account = await service.createAccount()
      const session = 'lost'
      await set(account, session, 'a=1')
      const ofOtherKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('{}', 'a row')
      await db.run(sql<never>`update sessions set contents = ${ofOtherKey} where name = ${session}`)

      assert.equal(await sent(account, { session }), 'none')
      await set(account, session, 'b=2')
      assert.equal(await sent(account, { session }), 'b=2')
    })

    await t.test('the store holds no readable cookie', async () => {
      const account = await service.createAccount()
      await set(account, 'sealed', 'a=canary-in-a-session')
      assert.equal(await sent(account, { session: 'sealed' }), 'a=canary-in-a-session')

      const rows = await db.run(sql<{ contents: string }>`select contents from sessions`)

      assert.ok(rows.length > 5)
      for (const { contents } of rows) assert.match(contents, /^[0-9a-f]{8}\.[\w-]+$/)
    })
  })

  test(`${kind}: a worker that lost its lease writes nothing into the session`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: { ...reachingLoopback, TRAWL_LEASE: '3s' } })
    const { db } = await service.openBeside()
    const account = await service.createAccount()
    const waiting: ServerResponse[] = []
    const sent: (string | undefined)[] = []
    site.page('/', (request, response) => {
      sent.push(request.headers.cookie)
      waiting.push(response)
    })
    const request = { url: site.url('/'), session: 'fenced' }

    const id = await submitExtraction(account, request)
    await until(() => waiting.length === 1)
    await db.run(sql<never>`update queue_entries set fence = fence + 1 where work_id = ${id}`)
    waiting[0]?.writeHead(200, { 'set-cookie': 'by=zombie' }).end('<p>late</p>')
    await until(() => waiting.length === 2)
    waiting[1]?.writeHead(200, { 'set-cookie': 'by=holder' }).end('<p>again</p>')
    await untilEnded(account, id)
    const next = await submitExtraction(account, request)
    await until(() => waiting.length === 3)
    waiting[2]?.end('<p>next</p>')
    await untilEnded(account, next)

    assert.deepEqual(sent, [undefined, undefined, 'by=holder'])
  })
})
