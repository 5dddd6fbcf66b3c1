import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Service } from '../../src/main.ts'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { script, sql } from '../../src/storage/statement.ts'
import { addLinkPages } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { callbackPath, realtimePath } from '../support/scrape-calls.ts'
import { type Caller, createCaller, createSealedStore } from '../support/sealed-store.ts'
import { storeKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const ofOtherKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('{}', 'a row')

const urlOf = ({ url }: { url?: string }) => url

const lists = [
  callbackPath,
  '/v1/extract/jobs',
  '/v1/extract/jobs?url=TOKEN',
  '/v1/tasks',
  '/v1/tasks?url=token%3D1&host=127.0.0.1',
  '/v1/batch/jobs',
  '/v1/crawl/jobs',
  '/v1/map/jobs',
]

for (const kind of storeKinds) {
  test(`${kind}: lists show what was asked for without reading whole requests`, async (t) => {
    const site = await startPageSite(t)
    addLinkPages(site, { '/page': [] })
    const url = site.url('/page?token=1').replace('http://', 'http://user:secret@')
    const place = await createSealedStore(t, kind)
    await using store = await place.open()
    const call = await createCaller(store)
    const earlier = await place.start()
    await askForEverything(call, earlier, url)
    const before = await readLists(call, earlier)
    assert.deepEqual(lengthsOf(before), [3, 3, 3, 6, 6, 1, 1, 1])
    assert.ok(!JSON.stringify(before).includes('secret'))

    await t.test('those of rows without a listing are read meanwhile', async () => {
      await store.db.run(
        script(`
          update tasks set listing = null;
          update jobs set listing = null;
          delete from store_properties where name = 'listings_filled';`),
      )

      assert.deepEqual(await readLists(call, earlier), before)
    })

    await t.test('a start fills the listings of an earlier version', async () => {
      await using later = await place.start()
      const isFilled = sql`select 1 from store_properties where name = 'listings_filled'`
      await until(async () => (await store.db.run(isFilled)).length > 0)

      await askForEverything(call, later, url)
      const all = await readLists(call, later)
      await store.db.run(
        script(`
          update tasks set request = 'no JSON';
          update jobs set request = 'no JSON';`),
      )

      assert.deepEqual(lengthsOf(all), [6, 6, 6, 12, 12, 2, 2, 2])
      assert.deepEqual(await readLists(call, later), all)
    })

    await t.test(
      'rows whose listing cannot be decrypted are listed with what is readable',
      async () => {
        await store.db.run(sql`update tasks set listing = ${ofOtherKey}`)
        await store.db.run(sql`update jobs set listing = ${ofOtherKey}`)

        const answers = await readLists(call, earlier)

        assert.deepEqual(lengthsOf(answers), [6, 6, 0, 12, 0, 2, 2, 2])
        assert.deepEqual(
          answers.flatMap(({ items, jobs, tasks }) => (items ?? jobs ?? tasks).map(urlOf)),
          answers.flatMap(({ items, jobs, tasks }, index) =>
            (items ?? jobs ?? tasks).map(() =>
              lists[index]?.includes('batch') ? undefined : site.url('/page'),
            ),
          ),
        )
      },
    )
  })
}

/** Tasks and jobs of every kind; resolves when they have ended. */
async function askForEverything(call: Caller, service: Service, url: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const response = await call(service, `POST ${path}`, body)
    assert.ok(response.statusCode < 300, response.text)
    return response
  }
  const { headers } = await post(realtimePath, { url })
  await post(`/v1/tasks/${headers['x-request-id']}/retry`, {})
  await post('/v1/extract', { url, formats: ['markdown'] })
  await post('/v1/batch', { urls: [url], headers: { 'x-note': 'cod' } })
  await post('/v1/crawl', { url, include_subdomains: true })
  await post('/v1/map', { url, search: 'page' })
  await until(async () => {
    const shown = JSON.stringify(await readLists(call, service))
    return !/"(queued|processing)"/.test(shown)
  })
}

async function readLists(call: Caller, service: Service) {
  const answers = await Promise.all(lists.map((path) => call(service, `GET ${path}`)))
  for (const { statusCode, text } of answers) assert.equal(statusCode, 200, text)
  return answers.map((answer) => answer.json())
}

const lengthsOf = (answers: Awaited<ReturnType<typeof readLists>>): number[] =>
  answers.map(({ items, jobs, tasks }) => (items ?? jobs ?? tasks).length)
