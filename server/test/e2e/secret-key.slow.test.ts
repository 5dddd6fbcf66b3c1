import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { rotateCallbackSecret } from '../../src/accounts/accounts.ts'
import { runTrawl } from '../support/run-program.ts'
import { assertNone, dumpStore, formsOf } from '../support/store-dump.ts'
import { onBothStores, serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'

const otherKey = Buffer.alloc(32, 9).toString('base64')
const refusal = /^TRAWL_SECRET_KEY is not the key this store was made with\. .+\n$/

type Place = { url?: string | undefined; dataDir: string }

function serve(t: TestContext, place: Place, environment: Record<string, string> = {}) {
  const all = { ...serviceEnvironment(place), TRAWL_LOG_LEVEL: 'silent', ...environment }
  return runTrawl(t, ['serve'], { cwd: place.dataDir, environment: all })
}

async function startAndStop(t: TestContext, place: Place): Promise<number | null> {
  const program = serve(t, place)
  await program.whenSaid(/is ready/)
  program.child.kill('SIGTERM')
  return await program.whenEnded
}

for (const kind of tierStoreKinds) {
  test(`${kind}: a wrong key is refused at start with exit 78, the right one goes on working`, async (t) => {
    const { place } = await createTestStore(t, kind)
    await startAndStop(t, place)

    const refused = serve(t, place, { TRAWL_SECRET_KEY: otherKey })

    assert.equal(await refused.whenEnded, 78)
    assert.match(refused.stderr(), refusal)
    assert.equal(await startAndStop(t, place), 0)
  })
}

test('sqlite: a key lost from the data folder is reported missing, not silently replaced', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  await startAndStop(t, place)
  rmSync(join(place.dataDir, 'secret.key'))

  const refused = serve(t, place)

  assert.equal(await refused.whenEnded, 78)
  assert.match(
    refused.stderr(),
    /^The key of this store is missing\. Put \S+secret\.key back, .+\n$/,
  )
  assert.equal(existsSync(join(place.dataDir, 'secret.key')), false)
})

test('sqlite: a key file without a key is refused by name', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  writeFileSync(join(place.dataDir, 'secret.key'), '')

  const refused = serve(t, place)

  assert.equal(await refused.whenEnded, 78)
  assert.match(refused.stderr(), /secret\.key does not hold a key\./)
})

onBothStores((kind, start) => {
  test(`${kind}: no password, key, secret or URL of a webhook is stored in clear`, async (t) => {
    const operator = {
      TRAWL_PASSWORD: 'canary-password-of-the-operator',
      TRAWL_API_KEY: 'canary-key-of-the-operator',
      TRAWL_CALLBACK_SECRET: 'canary-callback-secret-of-the-operator',
    }
    const { createAccount, openBeside, dataDir } = await start(t, { environment: operator })
    const account = await createAccount()
    const store = await openBeside()
    const webhook = { url: 'https://hooks.example/in', event_type: 'extract_completed' }
    const { id, secret } = (await account.call('POST /v1/webhooks', webhook)).json()
    const rotated = await account.call(`POST /v1/webhooks/${id}/rotate-secret`)
    const secrets = [
      ...Object.values(operator),
      account.password,
      account.apiKey,
      account.callbackSecret,
      await rotateCallbackSecret(store, account.username),
      secret,
      rotated.json().secret,
      webhook.url,
    ]

    const kept = await dumpStore(store.db, dataDir)

    assert.ok(kept.includes(account.username) && kept.includes(webhook.event_type))
    assertNone('The store', kept, secrets.flatMap(formsOf))
  })
})
