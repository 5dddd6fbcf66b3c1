import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { firstStartCrashPoints } from '../../src/runtime/crash-point.ts'
import { basicOf, callApi } from '../support/call-api.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createBlankStore, tierStoreKinds } from '../support/test-store.ts'

const killable = fileURLToPath(new URL('./start-until-killed.ts', import.meta.url))
const shown = /Account +admin \/ (\S+) +API key (\S+)/

type Place = { url?: string | undefined; dataDir: string }

function serve(t: TestContext, place: Place, environment: Record<string, string> = {}) {
  const all = { ...serviceEnvironment(place), ...environment }
  return runTrawl(t, ['serve'], { cwd: place.dataDir, environment: all })
}

for (const kind of tierStoreKinds) {
  for (const point of firstStartCrashPoints) {
    test(`${kind}: generated credentials survive a first start killed at ${point}`, async (t) => {
      const { place } = await createBlankStore(t, kind)
      const killed = runTrawl(t, ['serve', point], {
        cwd: place.dataDir,
        environment: serviceEnvironment(place),
        cli: killable,
      })
      assert.equal(await killed.whenEnded, null)

      const second = serve(t, place)
      const [, url = ''] = await second.whenSaid(/API +(http:\S+)/)
      await second.whenSaid(/Try:/)
      const [, password = '', apiKey = ''] = shown.exec(killed.stderr() + second.stderr()) ?? []
      const byPassword = { authorization: basicOf('admin', password) }
      const answers = [
        await callApi(url, 'GET /v1/webhooks', { headers: { 'x-api-key': apiKey } }),
        await callApi(url, 'GET /v1/webhooks', { headers: byPassword }),
      ]

      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        [200, 200],
      )
      if (kind === 'sqlite') assertKept(join(place.dataDir, 'credentials.json'), password, apiKey)
    })
  }

  test(`${kind}: generated credentials are shown once, however often the service starts`, async (t) => {
    const { place } = await createBlankStore(t, kind)
    const outputs: string[] = []
    for (const _start of ['first', 'second']) {
      const program = serve(t, place)
      await program.whenSaid(/Try:/)
      program.child.kill('SIGTERM')
      await program.whenEnded
      outputs.push(program.stderr())
    }

    assert.deepEqual(
      outputs.map((output) => shown.test(output)),
      [true, false],
    )
  })
}

test('the first start on loopback prints a link that signs in once', async (t) => {
  const { place } = await createBlankStore(t, 'sqlite')
  const program = serve(t, place, { TRAWL_DASHBOARD: 'built' })
  const [, url = '', token = ''] = await program.whenSaid(/Sign in +(http:\S+)\/#sign-in=([\w-]+)/)
  await program.whenSaid(/Try:/)
  const signIn = () => callApi(url, 'POST /v1/session', { body: { link_token: token } })

  const statuses = [(await signIn()).statusCode, (await signIn()).statusCode]
  program.child.kill('SIGTERM')
  await program.whenEnded
  const second = serve(t, place, { TRAWL_DASHBOARD: 'built' })
  await second.whenSaid(/Try:/)

  assert.deepEqual(statuses, [204, 401])
  assert.doesNotMatch(second.stderr(), /sign-in=/)
})

function assertKept(path: string, password: string, apiKey: string): void {
  const kept = JSON.parse(readFileSync(path, 'utf8'))
  assert.equal(kept.password, password)
  assert.equal(kept.api_key, apiKey)
  assert.match(kept.callback_secret, /^whsec_/)
  assert.equal(statSync(path).mode & 0o777, 0o600)
}

const refusals: Record<
  string,
  { exitCode: number; prepare(t: TestContext, dataDir: string): Promise<Record<string, string>> }
> = {
  'the port is taken': {
    exitCode: 69,
    prepare: async (t) => {
      const taken = createServer().listen(0, '127.0.0.1')
      t.after(() => taken.close())
      await once(taken, 'listening')
      return { TRAWL_PORT: String((taken.address() as AddressInfo).port) }
    },
  },
  'there is no such browser': {
    exitCode: 78,
    prepare: async () => ({ TRAWL_BROWSER_PATH: '/not/there' }),
  },
  'its file is no database': {
    exitCode: 69,
    prepare: async (_t, dataDir) => {
      mkdirSync(dataDir)
      writeFileSync(join(dataDir, 'trawl.db'), 'This is not a database. '.repeat(100))
      return {}
    },
  },
}

for (const [reason, { exitCode, prepare }] of Object.entries(refusals)) {
  test(`a first start that is refused because ${reason} leaves no key behind`, async (t) => {
    const cwd = await scratchFolder(t)
    const dataDir = join(cwd, 'data')
    const environment = { ...serviceEnvironment({ dataDir }), ...(await prepare(t, dataDir)) }

    const refused = runTrawl(t, ['serve'], { cwd, environment })

    assert.equal(await refused.whenEnded, exitCode)
    assert.deepEqual(globSync(join(dataDir, 'secret.key*')), [])
    assert.equal(existsSync(join(dataDir, 'credentials.json')), false)
  })
}
