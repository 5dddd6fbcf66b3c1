import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { createFirstAccount } from '../../src/accounts/accounts.ts'
import { loadConfig } from '../../src/config.ts'
import { openStore } from '../../src/wiring/open-store.ts'
import { startCommandRuns } from '../support/command-runs.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, silentLog, tierStoreKinds } from '../support/test-store.ts'

type Place = { url?: string | undefined; dataDir: string }

/** Commands on a store, one after another in one process; `json` reads what a command prints. */
async function startCommands(t: TestContext, place: Place) {
  const environment = { ...serviceEnvironment(place), TRAWL_LOG_LEVEL: 'error' }
  const run = await startCommandRuns(t, { cwd: place.dataDir, environment })
  const trawl = (...args: string[]) => run(args)
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  return { trawl, json }
}

/** The first account, as the first start of the service creates it. */
async function createOperator(t: TestContext, place: Place, username: string) {
  const { config } = loadConfig({}, serviceEnvironment(place), place.dataDir)
  const store = await openStore(config, silentLog)
  t.after(() => store.db[Symbol.asyncDispose]())
  const created = await createFirstAccount(store, { username })
  assert.ok(created)
  return created
}

for (const kind of tierStoreKinds) {
  test(`${kind}: accounts are made, listed, switched off and on, beside a running service`, async (t) => {
    const { place } = await createTestStore(t, kind)
    const service = runTrawl(t, ['serve'], {
      cwd: place.dataDir,
      environment: serviceEnvironment(place),
    })
    const { json } = await startCommands(t, place)
    const [, url] = await service.whenSaid(/API +(http:\S+)/)
    const made = await json('accounts', 'create', 'ada')
    const asAda = () => fetch(`${url}/v1/webhooks`, { headers: { 'x-api-key': made.api_key } })
    const worksAtOnce = await asAda()

    await json('accounts', 'disable', 'ada')
    const listed = await json('accounts', 'list')
    await json('accounts', 'enable', 'ada')

    assert.deepEqual(Object.keys(made), ['username', 'password', 'api_key', 'callback_secret'])
    assert.ok(made.password.length >= 16)
    assert.match(made.callback_secret, /^whsec_/)
    assert.equal(worksAtOnce.status, 200)
    assert.deepEqual(
      listed.map((one: { username: string; enabled: boolean }) => [one.username, one.enabled]),
      [
        ['admin', true],
        ['ada', false],
      ],
    )
  })
}

test('no tenant becomes the operator: on a store without accounts none is created, and words say what to do', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  const { trawl, json } = await startCommands(t, place)

  const refused = await trawl('accounts', 'create', 'ada')
  const listed = await json('accounts', 'list')
  await createOperator(t, place, 'admin')
  const made = await json('accounts', 'create', 'ada')

  assert.equal(refused.code, 1)
  assert.equal(refused.stdout, '')
  assert.match(refused.stderr, /has no account yet.*operator.*[Ss]tart the service once/)
  assert.deepEqual(listed, [])
  assert.equal(made.username, 'ada')
})

test('API keys are created, listed without their values, and revoked', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  await createOperator(t, place, 'ada')
  const { trawl, json } = await startCommands(t, place)
  const { id, api_key: key } = await json('keys', 'create', '--account', 'ada')
  const before = await trawl('keys', 'list', '--json')
  await json('keys', 'revoke', id)
  const [, after] = await json('keys', 'list')
  const again = await trawl('keys', 'revoke', id)

  assert.match(key, /^trawl_[0-9A-Za-z]{49}$/)
  assert.ok(!before.stdout.includes(key))
  assert.ok(after.revoked_at)
  assert.equal(again.code, 4)
})

test('whitelisted addresses are added, listed and removed in their canonical form', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  await createOperator(t, place, 'ada')
  const { trawl, json } = await startCommands(t, place)
  await json('ips', 'add', '::ffff:192.0.2.1', '--description', 'office')
  const [entry] = await json('ips', 'list')
  const bad = await trawl('ips', 'add', 'nonsense')
  const wide = await trawl('ips', 'add', '10.0.0.0/8')
  const left = await json('ips', 'remove', '192.0.2.1')

  assert.equal(entry.ip, '192.0.2.1')
  assert.equal(entry.description, 'office')
  assert.equal(bad.code, 2)
  assert.match(bad.stderr, /nonsense is neither an IP address/)
  assert.equal(wide.code, 2)
  assert.match(wide.stderr, /not be wider than \/16 \(IPv4\) or \/32 \(IPv6\)/)
  assert.deepEqual(left, [])
})

test('a password is changed and a callback secret is rotated', async (t) => {
  const { place } = await createTestStore(t, 'sqlite')
  const made = await createOperator(t, place, 'ada')
  const { trawl, json } = await startCommands(t, place)
  const { password } = await json('accounts', 'passwd', 'ada')
  const { callback_secret: secret } = await json('accounts', 'rotate-secret', 'ada')
  const unknown = await trawl('accounts', 'passwd', 'nobody')

  assert.notEqual(password, made.password)
  assert.notEqual(secret, made.callbackSecret)
  assert.equal(unknown.code, 4)
})

test('config shows every value with its origin and masks secrets', async (t) => {
  const cwd = await scratchFolder(t)
  const environment = { TRAWL_PORT: '9', TRAWL_PASSWORD: 'canary-password', TRAWL_PROT: '1' }
  const program = runTrawl(t, ['config', '--host', '10.0.0.1'], { cwd, environment })

  assert.equal(await program.whenEnded, 0)
  assert.match(program.stdout(), /^TRAWL_PORT +9 +environment TRAWL_PORT$/m)
  assert.match(program.stdout(), /^TRAWL_HOST +10\.0\.0\.1 +flag --host$/m)
  assert.match(program.stdout(), /^TRAWL_PASSWORD +\*+ +environment TRAWL_PASSWORD$/m)
  assert.doesNotMatch(program.stdout(), /canary/)
  assert.match(program.stderr(), /TRAWL_PROT is not a setting.*TRAWL_PORT/)
})

test('commands that need no store', async (t) => {
  const cwd = await scratchFolder(t)
  const run = await startCommandRuns(t, { cwd, environment: { TRAWL_PORT: '0', HOME: cwd } })

  await t.test('config schema names every setting of the file', async () => {
    const { stdout } = await run(['config', 'schema'])
    const schema = JSON.parse(stdout)

    assert.equal(schema.properties.http.properties.port.default, '8080')
    assert.equal(schema.additionalProperties, false)
  })

  await t.test('openapi prints the checked-in document', async () => {
    const { stdout } = await run(['openapi'])

    assert.equal(stdout, readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
  })

  await t.test('doctor checks everything and reports it as JSON too', async () => {
    const { code, stdout } = await run(['doctor', '--json'])
    const report = JSON.parse(stdout)
    const names = report.checks.map((check: { name: string }) => check.name)

    assert.equal(code, report.isHealthy ? 0 : 1)
    for (const name of ['node', 'store', 'port', 'browser', 'sandbox', 'dns', 'disk', 'clock']) {
      assert.ok(names.includes(name), name)
    }
  })

  await t.test('an unknown command or flag is bad usage, exit 2', async () => {
    const command = await run(['srve'])
    const flag = await run(['serve', '--prot', '1'])

    assert.equal(command.code, 2)
    assert.match(command.stderr, /Did you mean serve\?/)
    assert.equal(flag.code, 2)
    assert.match(flag.stderr, /Did you mean --port\?/)
  })
})
