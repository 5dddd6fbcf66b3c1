/** `session`: extractions that share an exit proxy. */
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import { extracted } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: the proxy of a session`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', (request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=1' })
        .end(`<p>${request.headers.cookie ?? 'none'}</p>`),
    )
    const labels = ['first', 'second', 'third']
    const proxies = new Map<string, CountingProxy>()
    for (const label of labels) proxies.set(label, await startCountingProxy(t, { label }))
    const path = join(await scratchFolder(t), 'proxies.json')
    const list = (listed: readonly string[]) => {
      const entries = listed.map((label) => {
        const url = `http://user-{session}:pass@127.0.0.1:${proxies.get(label)?.route.port}`
        return { url, type: 'datacenter', country: 'DE', label }
      })
      writeFileSync(`${path}.new`, JSON.stringify(entries))
      renameSync(`${path}.new`, path)
    }
    list(labels)
    const service = await start(t, {
      environment: {
        ...reachingLoopback,
        ...(await withBrowser()),
        TRAWL_PROXIES_FILE: path,
      },
    })

    let isBrowser = false
    const account = await service.createAccount()
    /** Runs an extraction and returns the proxy and the user of each request that proxies got. */
    async function exitsOf(more: object): Promise<{ exits: string[]; text: string | undefined }> {
      const before = new Map(labels.map((label) => [label, proxies.get(label)?.asked.length ?? 0]))
      const request = { url: site.url('/'), formats: ['text'], render_js: isBrowser, ...more }
      const { data } = await extracted(account, request)
      const exits = labels.flatMap((label) => {
        const asked = proxies.get(label)?.asked.slice(before.get(label)) ?? []
        return asked.map(({ user }) => `${label} ${user}`)
      })
      return { exits: [...new Set(exits)], text: data.text ?? undefined }
    }

    await t.test('extractions of a session leave by one proxy with one session id', async () => {
      const session = 'steady'
      const { exits: first } = await exitsOf({ session })
      for (let count = 0; count < 5; count++) {
        assert.deepEqual((await exitsOf({ session })).exits, first)
      }
      isBrowser = true
      const rendered = await exitsOf({ session })
      isBrowser = false

      assert.equal(first.length, 1)
      assert.match(first[0] ?? '', /^(first|second|third) user-[a-z0-9]{12}:pass$/)
      assert.deepEqual(rendered, { exits: first, text: 'a=1' })
    })

    await t.test('without a session, and in others, exits differ', async () => {
      const seen = new Set<string>()
      for (const session of [undefined, undefined, 'one', 'two']) {
        for (const exit of (await exitsOf({ session })).exits) seen.add(exit)
      }

      assert.equal(seen.size, 4)
    })

    await t.test('a response that is retried stays at the proxy of the session', async () => {
      let count = 0
      site.page('/busy', (_, response) =>
        response
          .writeHead(++count === 1 ? 503 : 200, { 'content-type': 'text/html' })
          .end('<p>busy</p>'),
      )

      const { exits } = await exitsOf({ session: 'retried', url: site.url('/busy') })

      assert.deepEqual([count, exits.length], [2, 1])
    })

    await t.test('a proxy that fails is left for another, with the cookies', async () => {
      const session = 'moving'
      const [before = ''] = (await exitsOf({ session })).exits
      const lost = proxies.get(before.split(' ')[0] ?? '')
      lost?.behave('close')

      const moved = await exitsOf({ session })
      const [after = ''] = moved.exits.filter((exit) => !exit.startsWith(lost?.route.label ?? ''))
      lost?.behave('serve')
      const later = await exitsOf({ session })

      assert.equal(moved.text, 'a=1')
      assert.notEqual(after, '')
      assert.deepEqual(later.exits, [after])
    })

    await t.test('a proxy that is removed is replaced, and the session goes on', async () => {
      const session = 'removed'
      const [before = ''] = (await exitsOf({ session })).exits
      const left = labels.filter((label) => label !== before.split(' ')[0])
      list(left)
      await until(async () => {
        const capabilities = await (await fetch(`${service.url}/capabilities`)).text()
        return JSON.parse(capabilities).proxies.total === left.length
      })

      const moved = await exitsOf({ session })
      const later = await exitsOf({ session })

      assert.equal(moved.text, 'a=1')
      assert.ok(left.includes(moved.exits[0]?.split(' ')[0] ?? ''))
      assert.deepEqual(later.exits, moved.exits)
    })
  })
})
