import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startPageSite } from '../support/page-site.ts'
import { type RunningProgram, runTrawl } from '../support/run-program.ts'
import { callbackPath } from '../support/scrape-calls.ts'
import {
  createCaller,
  createSealedStore,
  keyOf,
  listSealedTexts,
  rotationSettings,
  type SealedStore,
} from '../support/sealed-store.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const { old, both, fresh } = rotationSettings

const run = (
  t: TestContext,
  place: SealedStore,
  settings: Record<string, string>,
  args: string[],
) => runTrawl(t, args, { cwd: place.dataDir, environment: place.environmentWith(settings) })

const rotate = (t: TestContext, place: SealedStore, settings: Record<string, string>) =>
  run(t, place, settings, ['secrets', 'rotate', '--json'])

async function printed(program: RunningProgram): Promise<Record<string, unknown>> {
  assert.equal(await program.whenEnded, 0, program.stderr())
  return JSON.parse(program.stdout())
}

for (const kind of tierStoreKinds) {
  test(`${kind}: the key is rotated beside running services, and nothing is lost`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>cod</p>')
    site.page('/cookie', (request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'a=1' })
        .end(`<p>${request.headers.cookie ?? 'none'}</p>`),
    )
    const receiver = await startTestReceiver(t)
    const place = await createSealedStore(t, kind)
    await using storeOfOld = await place.open(old)
    const call = await createCaller(storeOfOld)
    const request = { url: site.url('/'), callbackUrl: receiver.url }
    const ofOld = await place.start(old)
    const withBoth = await place.start(both)
    const submitTo = async (service: typeof ofOld): Promise<string> => {
      const answer = await call(service, `POST ${callbackPath}`, request)
      assert.equal(answer.statusCode, 202, answer.text)
      return answer.json().requestId
    }
    const cookiesSentBy = async (service: typeof ofOld): Promise<string> => {
      const order = { url: site.url('/cookie'), formats: ['text'], session: 'cart' }
      return (await call(service, 'POST /v1/extract', order)).json().data.text
    }
    const ids = [await submitTo(ofOld), await submitTo(withBoth)]
    assert.equal(await cookiesSentBy(ofOld), 'none')
    const batch = { urls: [site.url('/'), 'nonsense'], callback_url: `${receiver.url}/batch` }
    const batchId = (await call(ofOld, 'POST /v1/batch', batch)).json().job_id

    // Services with the old key alone can read what those with both write, until a rotation begins.
    for (const service of [ofOld, withBoth]) {
      for (const id of ids) {
        assert.equal((await call(service, `GET ${callbackPath}/${id}`)).statusCode, 200)
      }
    }
    await receiver.arrivals(2, '/')
    await receiver.arrivals(1, '/batch')
    await ofOld[Symbol.asyncDispose]()
    const rotation = rotate(t, place, both)
    let isOver = false
    rotation.whenEnded.finally(() => (isOver = true))
    while (!isOver) ids.push(await submitTo(withBoth))
    const { status } = await printed(rotation)

    assert.match(String(status), /nothing is encrypted with the previous key/)
    await receiver.arrivals(ids.length, '/')
    await withBoth[Symbol.asyncDispose]()
    await using store = await place.open(fresh)
    const texts = await listSealedTexts(store)
    for (const { column, text } of texts) {
      assert.equal(store.sealer.stateOf(text), 'newest', column)
    }
    for (const name of ['sessions.contents', 'jobs.request', 'jobs.callback_url']) {
      assert.ok(
        texts.some(({ column }) => column === name),
        name,
      )
    }
    const after = await place.start(fresh)
    assert.equal(await cookiesSentBy(after), 'a=1')
    const job = (await call(after, `GET /v1/batch/${batchId}`)).json()
    assert.deepEqual([job.invalid_urls, job.results[0].data.markdown], [['nonsense'], 'cod\n'])
    for (const id of [...ids.slice(0, 20), ids.at(-1)]) {
      const result = await call(after, `GET ${callbackPath}/${id}/result`)
      assert.equal(result.text, '<p>cod</p>', result.text)
    }
    const refused = run(t, place, old, ['serve'])
    assert.equal(await refused.whenEnded, 78)
    assert.match(refused.stderr(), /^TRAWL_SECRET_KEY is not the key this store was made with\./m)
  })

  test(`${kind}: a killed rotation resumes where it stopped, and needs the old key until it is done`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>cod</p>')
    const receiver = await startTestReceiver(t)
    const place = await createSealedStore(t, kind)
    const first = await place.start(old)
    await using storeOfOld = await place.open(old)
    const call = await createCaller(storeOfOld)
    const request = { url: site.url('/'), callbackUrl: receiver.url }
    for (let count = 0; count < 300; count++) await call(first, `POST ${callbackPath}`, request)
    await receiver.arrivals(300)
    await first[Symbol.asyncDispose]()

    const killed = rotate(t, place, both)
    await killed.whenSaid(/Encrypting tasks/)
    killed.child.kill('SIGKILL')
    await killed.whenEnded
    const refused = run(t, place, fresh, ['serve'])

    assert.equal(await refused.whenEnded, 78)
    assert.match(refused.stderr(), /is not complete.*"npx trawl secrets rotate"/)
    const { encrypted, unreadable } = await printed(rotate(t, place, both))
    assert.ok(Number(encrypted) > 0)
    assert.equal(unreadable, 0)
    await using store = await place.open(fresh)
    const texts = await listSealedTexts(store)
    assert.ok(texts.length >= 900)
    for (const { text } of texts) assert.equal(store.sealer.stateOf(text), 'newest')
  })
}

test('rotating without the previous key says what to set, with exit 78', async (t) => {
  const place = await createSealedStore(t, 'sqlite')

  const refused = rotate(t, place, fresh)

  assert.equal(await refused.whenEnded, 78)
  assert.match(refused.stderr(), /TRAWL_SECRET_KEY_PREVIOUS is not set.*openssl rand -base64 32/)
})

test('a previous key that is not a key of the store is refused with exit 78', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  const service = await place.start(old)
  await service[Symbol.asyncDispose]()
  const wrong = { TRAWL_SECRET_KEY: fresh.TRAWL_SECRET_KEY, TRAWL_SECRET_KEY_PREVIOUS: keyOf(3) }

  const refused = rotate(t, place, wrong)

  assert.equal(await refused.whenEnded, 78)
  assert.match(refused.stderr(), /^TRAWL_SECRET_KEY is not the key this store was made with\./m)
})

test('the key in the data folder is rotated in two steps with a restart between them', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  const keyLines = () => readFileSync(join(place.dataDir, 'secret.key'), 'utf8').trim().split('\n')
  const before = await place.start()
  const [firstKey] = keyLines()
  await using storeBefore = await place.open()
  const call = await createCaller(storeBefore)
  const webhook = { url: 'https://hooks.example/in', event_type: 'extract_completed' }
  assert.equal((await call(before, 'POST /v1/webhooks', webhook)).statusCode, 201)

  const begun = await printed(rotate(t, place, {}))
  assert.match(String(begun['next']), /restart the service/)
  assert.equal(keyLines().length, 2)
  assert.equal(keyLines()[1], firstKey)
  await before[Symbol.asyncDispose]()
  const service = await place.start()
  const ended = await printed(rotate(t, place, {}))

  assert.match(String(ended['status']), /nothing is encrypted with the previous key/)
  assert.equal(keyLines().length, 1)
  assert.notEqual(keyLines()[0], firstKey)
  assert.equal((await call(service, 'POST /v1/webhooks', webhook)).statusCode, 201)
  await service[Symbol.asyncDispose]()
  await using store = await place.open()
  const texts = await listSealedTexts(store)
  assert.ok(texts.length >= 3)
  for (const { text } of texts) assert.equal(store.sealer.stateOf(text), 'newest')
})

test('a running service with both keys uses the new one once the rotation has begun', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await (await place.start(old))[Symbol.asyncDispose]()
  const service = await place.start(both)
  await using store = await place.open(old)
  const call = await createCaller(store)
  const webhook = { url: 'https://hooks.example/in', event_type: 'extract_completed' }
  const stateOfLast = async () => {
    await call(service, 'POST /v1/webhooks', webhook)
    const [last] = (await listSealedTexts(store))
      .filter(({ column }) => column === 'signing_secrets.sealed')
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    return store.sealer.stateOf(last?.text ?? '')
  }

  assert.equal(await stateOfLast(), 'newest')
  const rotation = rotate(t, place, both)

  await until(async () => (await stateOfLast()) === 'unknown')
  await printed(rotation)
})
