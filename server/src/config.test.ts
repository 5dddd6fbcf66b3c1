import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { allSettings, ConfigProblems, loadConfig } from './config.ts'

interface World {
  flags?: Record<string, string>
  environment?: Record<string, string>
  files?: Record<string, string>
}

function load(t: TestContext, world: World) {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(world.files ?? {})) {
    writeFileSync(join(folder, name), content)
  }
  return loadConfig(world.flags ?? {}, world.environment ?? {}, folder)
}

function problemsOf(t: TestContext, world: World): readonly string[] {
  try {
    load(t, world)
  } catch (error) {
    if (error instanceof ConfigProblems) return error.problems
    throw error
  }
  return []
}

const originOf = (loaded: ReturnType<typeof loadConfig>, env: string) =>
  loaded.origins.find((one) => one.env === env)?.origin

test('without any configuration every setting has its documented default', (t) => {
  const { config, warnings } = load(t, {})

  assert.equal(config.http.host, '127.0.0.1')
  assert.equal(config.http.port, 8080)
  assert.equal(config.store.dataDir, './data')
  assert.equal(config.store.databaseUrl, undefined)
  assert.deepEqual(config.roles, ['api', 'worker', 'delivery'])
  assert.equal(config.firstAccount.username, 'admin')
  assert.equal(config.outbound.egressAllow, undefined)
  assert.deepEqual(config.outbound.proxies, [])
  assert.equal(config.workers.queueMax, 200_000)
  assert.equal(config.delivery.scheduleMs.length, 12)
  assert.equal(config.retention.resultsMs, 72 * 3_600_000)
  assert.deepEqual(warnings, [])
})

test('settings come from flag, environment, .env, trawl.config.json and default, in this order', (t) => {
  const files = {
    '.env': 'TRAWL_PORT=3\nTRAWL_HOST=10.0.0.3\nTRAWL_LOG_LEVEL=warn\n',
    'trawl.config.json': JSON.stringify({
      http: { port: 4, host: '10.0.0.4' },
      log: { level: 'error' },
      roles: ['api'],
    }),
  }
  const loaded = load(t, {
    flags: { port: '1' },
    environment: { TRAWL_PORT: '2', TRAWL_HOST: '10.0.0.2' },
    files,
  })

  assert.equal(loaded.config.http.port, 1)
  assert.equal(loaded.config.http.host, '10.0.0.2')
  assert.equal(loaded.config.log.level, 'warn')
  assert.deepEqual(loaded.config.roles, ['api'])
  assert.equal(originOf(loaded, 'TRAWL_PORT'), 'flag --port')
  assert.equal(originOf(loaded, 'TRAWL_HOST'), 'environment TRAWL_HOST')
  assert.equal(originOf(loaded, 'TRAWL_LOG_LEVEL'), '.env TRAWL_LOG_LEVEL')
  assert.equal(originOf(loaded, 'TRAWL_ROLES'), 'trawl.config.json')
  assert.equal(originOf(loaded, 'TRAWL_QUEUE_MAX'), 'default')
})

test('variables such as PORT and CHROME_PATH apply when the TRAWL_ variable is not set', (t) => {
  assert.equal(load(t, { environment: { PORT: '9' } }).config.http.port, 9)
  assert.equal(load(t, { environment: { PORT: '9', TRAWL_PORT: '8' } }).config.http.port, 8)
  const loaded = load(t, { environment: { CHROME_PATH: '/x/chrome' } })
  assert.equal(originOf(loaded, 'TRAWL_BROWSER_PATH'), 'environment CHROME_PATH')
})

test('all problems of a configuration are reported at once, each with setting and origin', (t) => {
  const problems = problemsOf(t, {
    flags: { 'drain-delay': 'soon' },
    environment: {
      TRAWL_PORT: '70000',
      TRAWL_ROLES: 'api,cook',
      TRAWL_SECRET_KEY: 'short',
      TRAWL_PROXIES: '[{"url":"ftp://x"}]',
      TRAWL_EGRESS_ALLOW: 'everything',
    },
    files: { 'trawl.config.json': '{"http":{"prot":1}}' },
  })

  assert.deepEqual(problems.map((problem) => problem.split(' ')[0]).sort(), [
    'TRAWL_DRAIN_DELAY',
    'TRAWL_EGRESS_ALLOW',
    'TRAWL_PORT',
    'TRAWL_PROXIES',
    'TRAWL_ROLES',
    'TRAWL_SECRET_KEY',
    'trawl.config.json:',
  ])
  assert.ok(
    problems.includes(
      'TRAWL_PORT must be a whole number from 0 to 65535 (environment TRAWL_PORT).',
    ),
  )
  assert.ok(
    problems.includes('trawl.config.json: http.prot is not a setting. Did you mean http.port?'),
  )
})

test('an unknown TRAWL_ variable gives a warning with the nearest setting', (t) => {
  const { warnings } = load(t, { environment: { TRAWL_PROT: '1', OTHER: 'x' } })

  assert.deepEqual(warnings, [
    'TRAWL_PROT is not a setting and is ignored. Did you mean TRAWL_PORT?',
  ])
})

test('a secret is read from the file that …_FILE names, without one trailing newline', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-secret-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'password')
  writeFileSync(path, 'two\nlines\n\n')

  const loaded = load(t, { environment: { TRAWL_PASSWORD_FILE: path } })
  assert.equal(loaded.config.firstAccount.password, 'two\nlines\n')
  assert.deepEqual(problemsOf(t, { environment: { TRAWL_PASSWORD_FILE: '/not/there' } }), [
    'TRAWL_PASSWORD_FILE names /not/there, which cannot be read.',
  ])
})

test('TRAWL_PASSWORD with fewer than 8 characters is refused, with fewer than 12 gives a warning', (t) => {
  const withPassword = (text: string) => ({ environment: { TRAWL_PASSWORD: text } })

  assert.deepEqual(problemsOf(t, withPassword('seven77')), [
    'TRAWL_PASSWORD must have 8 characters or more (environment TRAWL_PASSWORD).',
  ])
  assert.deepEqual(load(t, withPassword('eleven11111')).warnings, [
    'TRAWL_PASSWORD is short: choose 12 characters or more.',
  ])
  assert.deepEqual(load(t, withPassword('twelve121212')).warnings, [])
})

const callbackSecrets: Record<string, boolean> = {
  ['x'.repeat(23)]: false,
  ['x'.repeat(24)]: true,
  [`whsec_${Buffer.alloc(23).toString('base64')}`]: false,
  [`whsec_${Buffer.alloc(24).toString('base64')}`]: true,
  [`whsec_${Buffer.alloc(64).toString('base64')}`]: true,
  [`whsec_${Buffer.alloc(65).toString('base64')}`]: false,
  'whsec_this is no base64 but is long enough': false,
}

for (const [secret, isAccepted] of Object.entries(callbackSecrets)) {
  test(`the callback secret ${secret} is ${isAccepted ? 'accepted' : 'refused'}`, (t) => {
    const problems = problemsOf(t, { environment: { TRAWL_CALLBACK_SECRET: secret } })

    assert.deepEqual(
      problems,
      isAccepted
        ? []
        : [
            'TRAWL_CALLBACK_SECRET must be whsec_ and 24 to 64 bytes in base64, or a text of 24 characters or more (environment TRAWL_CALLBACK_SECRET).',
          ],
    )
  })
}

test('TRAWL_PROXIES_FILE gives the proxies, and the path of the file for reloading', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-proxies-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'proxies with a space.json')
  const text = '[{"url":"http://ada:canary@proxy.test:1","type":"datacenter","country":"de"}]'
  writeFileSync(path, `${text}\n`)

  const { config } = load(t, { environment: { TRAWL_PROXIES_FILE: path } })
  const inPlace = load(t, { environment: { TRAWL_PROXIES: text, TRAWL_PROXIES_FILE: path } })

  assert.deepEqual(
    config.outbound.proxies.map(({ label, user }) => [label, user?.name]),
    [['datacenter-de-1fcf06d4', 'ada']],
  )
  assert.deepEqual(config.environment.proxiesFile, { path, text })
  assert.equal(inPlace.config.environment.proxiesFile, undefined)
})

test('trawl.config.json may have proxies as a JSON list, empty or not', (t) => {
  const proxiesIn = (proxies: unknown, environment = {}) => {
    const files = { 'trawl.config.json': JSON.stringify({ outbound: { proxies } }) }
    return load(t, { files, environment }).config.outbound.proxies.map(({ label }) => label)
  }
  const listed = [{ url: 'http://proxy.test:1', type: 'datacenter', label: 'one' }]

  assert.deepEqual(proxiesIn(listed), ['one'])
  assert.deepEqual(proxiesIn(JSON.stringify(listed)), ['one'])
  assert.deepEqual(proxiesIn(listed, { TRAWL_PROXIES: '' }), ['one'])
  assert.deepEqual(proxiesIn([]), [])
  assert.throws(() => proxiesIn(['http://ada:canary@proxy.test:1']), {
    problems: [
      'TRAWL_PROXIES entry 1 must be an object of url, type, country, label (trawl.config.json).',
    ],
  })
})

test('trawl.config.json may have an empty list for a setting that is a list of texts', (t) => {
  const files = { 'trawl.config.json': '{"http":{"trustProxy":[]}}' }

  assert.deepEqual(load(t, { files }).config.http.trustProxy, [])
})

test('a problem with a proxy names its number and field, never its credentials', (t) => {
  const proxies = [
    { url: 'http://ada:canary@proxy.test:1/path', type: 'datacenter' },
    { url: 'http://ada:canary@proxy.test:1', type: 'house' },
  ]

  assert.deepEqual(problemsOf(t, { environment: { TRAWL_PROXIES: JSON.stringify(proxies) } }), [
    'TRAWL_PROXIES entry 1: url must end after the port; a / ? or # before it has to be percent-encoded; entry 2: type must be residential or datacenter (environment TRAWL_PROXIES).',
  ])
  assert.deepEqual(problemsOf(t, { environment: { TRAWL_PROXIES: '[{"url":"canary"' } }), [
    'TRAWL_PROXIES must be JSON: see line 1, column 17 (environment TRAWL_PROXIES).',
  ])
})

test('a trawl.config.json that is not JSON is reported with line and column, never its content', (t) => {
  const broken = '{\n  "firstAccount": {"password": canary}\n}'

  assert.deepEqual(problemsOf(t, { files: { 'trawl.config.json': broken } }), [
    'trawl.config.json must be JSON: see line 2, column 32.',
  ])
})

test('an empty variable counts as not set, except TRAWL_EGRESS_ALLOW, where it allows nothing', (t) => {
  const { config } = load(t, { environment: { TRAWL_PORT: '', TRAWL_EGRESS_ALLOW: '' } })

  assert.equal(config.http.port, 8080)
  assert.deepEqual(config.outbound.egressAllow, [])
})

test('TRAWL_DATABASE_URL must be a postgres URL and needs TRAWL_SECRET_KEY', (t) => {
  const environment = { TRAWL_DATABASE_URL: 'postgres://localhost/trawl' }
  const key = Buffer.alloc(32, 7).toString('base64')

  assert.match(String(problemsOf(t, { environment })), /TRAWL_SECRET_KEY is required/)
  assert.deepEqual(problemsOf(t, { environment: { ...environment, TRAWL_SECRET_KEY: key } }), [])
  assert.match(
    String(
      problemsOf(t, { environment: { TRAWL_DATABASE_URL: 'mysql://x/y', TRAWL_SECRET_KEY: key } }),
    ),
    /must begin with postgres/,
  )
})

test('TRAWL_PUBLIC_URL has no user and password, which results and reports would show', (t) => {
  const environment = { TRAWL_PUBLIC_URL: 'https://user:secret@trawl.example' }

  const problems = String(problemsOf(t, { environment }))

  assert.match(problems, /TRAWL_PUBLIC_URL must have no user and password/)
  assert.doesNotMatch(problems, /secret@/)
})

test('every setting of the public contract exists', () => {
  const promised =
    `TRAWL_HOST TRAWL_PORT TRAWL_DATA_DIR TRAWL_DATABASE_URL TRAWL_ROLES TRAWL_USERNAME
    TRAWL_PASSWORD TRAWL_API_KEY TRAWL_CALLBACK_SECRET TRAWL_EGRESS_ALLOW TRAWL_PUBLIC_URL TRAWL_SECRET_KEY
    TRAWL_DNS_SERVERS TRAWL_TRUST_PROXY TRAWL_PROXIES TRAWL_BROWSER_PATH TRAWL_BROWSER_INSTALL
    TRAWL_BROWSER_SANDBOX TRAWL_BROWSER_FLAVOR TRAWL_HTTP_CONCURRENCY TRAWL_DELIVERY_CONCURRENCY
    TRAWL_BROWSER_CONCURRENCY TRAWL_QUEUE_MAX TRAWL_ACCOUNT_QUEUE_MAX TRAWL_ACCOUNT_RUNNING_MAX
    TRAWL_DELIVERY_SCHEDULE TRAWL_RESULT_RETENTION TRAWL_LOG_LEVEL`.split(/\s+/)
  const names = new Set(allSettings().map((one) => one.env))

  for (const name of promised) assert.ok(names.has(name), name)
})

test('TRAWL_ALLOWED_HOSTS accepts names and addresses, and refuses ports, blocks and wildcards', (t) => {
  const hosts = (given: string) => ({ environment: { TRAWL_ALLOWED_HOSTS: given } })

  assert.deepEqual(
    load(t, hosts('Trawl.lan, 192.0.2.1,::1,[2001:DB8::1]')).config.http.allowedHosts,
    ['trawl.lan', '192.0.2.1', '::1', '2001:db8::1'],
  )
  for (const wrong of [
    'trawl.lan:8080',
    '192.0.2.1:80',
    '[::1]:80',
    '10.0.0.0/8',
    '*',
    'a/b',
    'a b',
  ]) {
    const [problem = ''] = problemsOf(t, hosts(wrong))
    assert.match(problem, /TRAWL_ALLOWED_HOSTS must be .* without a port/, wrong)
  }
})
