import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createSealer } from '../../src/runtime/crypto/seal.ts'
import { rotateSecretKey, startKeyWatch } from '../../src/storage/secrets/key-rotation.ts'
import { reseal } from '../../src/storage/secrets/reseal.ts'
import { sql } from '../../src/storage/statement.ts'
import { runTrawl } from '../support/run-program.ts'
import {
  createCaller,
  createSealedStore,
  listSealedTexts,
  rotationSettings,
  type SealedStore,
} from '../support/sealed-store.ts'
import { silentLog, tierStoreKinds } from '../support/test-store.ts'

const { old, both } = rotationSettings
const ofThirdKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('secret', 'a row')
const webhook = { url: 'https://hooks.example/in', event_type: 'extract_completed' }

const rotate = (t: TestContext, place: SealedStore, settings: Record<string, string> = {}) =>
  runTrawl(t, ['secrets', 'rotate', '--json'], {
    cwd: place.dataDir,
    environment: place.environmentWith(settings),
  })

const keysIn = ({ dataDir }: SealedStore) =>
  readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n')

test('the old key stays in the file while a process runs that was not restarted with the new one', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  const service = await place.start()
  await using store = await place.open()
  const call = await createCaller(store)
  const first = rotate(t, place)
  assert.equal(await first.whenEnded, 0, first.stderr())

  const second = rotate(t, place)

  assert.equal(await second.whenEnded, 1, second.stdout())
  assert.match(
    second.stderr(),
    /^A process runs without the new key \(listening on .+ port \d+\)\./m,
  )
  assert.match(second.stderr(), /Restart it with both keys/)
  assert.equal(keysIn(place).length, 2)
  const { id } = (await call(service, 'POST /v1/webhooks', webhook)).json()
  await service[Symbol.asyncDispose]()
  const restarted = await place.start()
  const third = rotate(t, place)
  assert.equal(await third.whenEnded, 0, third.stderr())
  assert.equal(keysIn(place).length, 1)
  await restarted[Symbol.asyncDispose]()
  const after = await place.start()
  assert.equal((await call(after, `POST /v1/webhooks/${id}/rotate-secret`)).statusCode, 200)
})

for (const kind of tierStoreKinds) {
  test(`${kind}: a rotation is not begun while a process runs with the old key alone`, async (t) => {
    const place = await createSealedStore(t, kind)
    await place.start(old)

    const refused = rotate(t, place, both)

    assert.equal(await refused.whenEnded, 1, refused.stdout())
    assert.match(refused.stderr(), /A process runs without the new key/)
    await using store = await place.open(old)
    assert.equal(store.keys.isPreviousInUse, false)
  })

  test(`${kind}: texts that neither key decrypts are counted, and the rotation ends with exit 1`, async (t) => {
    const place = await createSealedStore(t, kind)
    await using store = await place.open(old)
    await createCaller(store)
    await store.db.run(sql`update signing_secrets set sealed = ${ofThirdKey}`)

    const refused = rotate(t, place, both)

    assert.equal(await refused.whenEnded, 1, refused.stdout())
    assert.match(refused.stderr(), /but 1 can be opened with neither key/)
  })
}

test('the old key stays in the file if there are texts that neither key decrypts', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using store = await place.open()
  await createCaller(store)
  await store.db.run(sql`update signing_secrets set sealed = ${ofThirdKey}`)
  await rotate(t, place).whenEnded

  const refused = rotate(t, place)

  assert.equal(await refused.whenEnded, 1, refused.stdout())
  assert.match(refused.stderr(), /The previous key stays in the second line of secret\.key/)
  assert.equal(keysIn(place).length, 2)
})

test('a rotation gives up if texts are written with the previous key again and again', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using storeOfOld = await place.open(old)
  await createCaller(storeOfOld)
  const [written] = await listSealedTexts(storeOfOld)
  await using store = await place.open(both)
  const writeAgain = () =>
    storeOfOld.db.run(sql`update signing_secrets set sealed = ${written?.text ?? ''}`)
  let stragglers = 0

  const rotation = rotateSecretKey(store, {
    onProgress: () => void writeAgain(),
    onStragglers: () => {
      stragglers++
      assert.ok(stragglers < 20, 'the rotation has no end')
    },
  })

  await assert.rejects(rotation, /still being written with the previous key/)
})

test('a process reports that the store uses a key that it does not have', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using store = await place.open(old)
  const reported = Promise.withResolvers<string>()
  const log = Object.assign(Object.create(silentLog), { error: reported.resolve })
  using _watch = startKeyWatch({ ...store, log })

  const check = createSealer({ newest: Buffer.alloc(32, 2) }).seal('trawl', 'anywhere')
  await store.db.run(
    sql`update store_properties set value = ${check} where name = 'secret_key_check'`,
  )
  // The key check does not keep the process alive by itself.
  const alive = setInterval(() => undefined, 1_000)
  t.after(() => clearInterval(alive))

  assert.match(await reported.promise, /with a key that this process does not have.*both keys/)
})

test('a plain text that begins like an encrypted one is encrypted too', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using store = await place.open(old)
  const plain = 'deadbeef.example does not know this'
  await createCaller(store)
  await store.db.run(sql`
    insert into idempotency_records (account_id, idempotency_key, fingerprint, task_id, created_at_ms)
    select id, 'key', ${plain}, 'task', 0 from accounts`)

  const { sealed, unreadable } = await reseal(store, { from: ['plain'] })

  assert.deepEqual({ sealed, unreadable }, { sealed: 1, unreadable: 0 })
})
