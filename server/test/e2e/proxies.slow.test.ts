import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { ProxyUser } from '../../src/domain/proxy/proxy.ts'
import { type CountingProxy, startCountingProxy } from '../support/counting-proxy.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { runTrawl } from '../support/run-program.ts'
import { reachingLoopback, scrapeNow } from '../support/scrape-calls.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const proxies = [
  {
    url: 'http://canary:canary@proxy.test:3128',
    type: 'datacenter',
    country: 'DE',
    label: 'first',
  },
  { url: 'socks5://canary-{country}:canary@[2001:db8::1]', type: 'residential', country: 'us' },
  { url: 'https://canary-{country}@gateway.test', type: 'residential' },
]
const environment = { TRAWL_PROXIES: JSON.stringify(proxies) }

const list = (t: TestContext, given: Record<string, string>, ...flags: string[]) =>
  runProxies(t, given, ['list', ...flags])

async function runProxies(t: TestContext, given: Record<string, string>, words: string[]) {
  const cwd = await scratchFolder(t)
  const program = runTrawl(t, ['proxies', ...words], { cwd, environment: given })
  const code = await program.whenEnded
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

test('trawl proxies lists the state of proxies in a running service without credentials', async (t) => {
  const { url } = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })

  const { code, stdout, stderr } = await list(t, environment, '--server', url)

  assert.equal(code, 0, stderr)
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'label                     type         country     protocol  address             state  score  latency_ms',
    'first                     datacenter   DE          http      proxy.test:3128     ready  1      -',
    'residential-us-2275df2c   residential  any, or US  socks5    [2001:db8::1]:1080  ready  1      -',
    'residential-any-ed448872  residential  any         https     gateway.test:443    ready  1      -',
  ])
  assert.match(stderr, /runs no tasks; ask a process with the role worker for the states/)
  assert.doesNotMatch(stderr, /State unknown/)
  assert.doesNotMatch(stdout + stderr, /canary/)
})

test('trawl proxies shows how long a failed proxy still cools down', async (t) => {
  const site = await startTestSite(t)
  const [good, bad] = [await startCountingProxy(t), await startCountingProxy(t)]
  bad.kill()
  const given = {
    TRAWL_PROXIES: JSON.stringify([
      { url: urlOf(good), type: 'datacenter', country: 'DE', label: 'good' },
      { url: urlOf(bad), type: 'datacenter', country: 'FR', label: 'bad' },
    ]),
  }
  const service = await startTestService(t, { environment: { ...reachingLoopback, ...given } })
  const account = await service.createAccount()
  const once = { retries: { useRetries: false } }
  const scrapeFrom = (country_code: string) =>
    scrapeNow(account, { url: site.url('/'), configurations: { country_code, ...once } })
  assert.equal((await scrapeFrom('de')).statusCode, 200)

  const { code, stdout, stderr } = await untilListed(/cooling down/, async () => {
    assertFailure(await scrapeFrom('fr'), 'PROXY_FAILED')
    return await list(t, given, '--server', service.url)
  })

  assert.equal(code, 0, stderr)
  assert.match(stdout, /^good .* ready +(1|0\.\d+) +\d+$/m)
  assert.match(stdout, /^bad .* cooling down, [1-9]\d* s +0\.\d+ +-$/m)
})

test('trawl proxies counts the proxies that the service reports nothing about', async (t) => {
  const many = Array.from({ length: 103 }, (_, index) => ({ ...proxies[0], label: `p${index}` }))
  const given = { TRAWL_PROXIES: JSON.stringify(many) }
  const { url } = await startTestService(t, {
    environment: { ...given, TRAWL_ROLES: 'api,worker' },
  })

  const { stdout, stderr } = await list(t, given, '--server', url)

  assert.equal(stdout.match(/ +- {6}-/g)?.length, 3, stdout)
  assert.match(stderr, /^State unknown: 3 of 103; a service reports 100 at most\.$/m)
  assert.doesNotMatch(stderr, /runs no tasks/)
})

test('trawl proxies lists proxies without a running service, also from a file', async (t) => {
  const path = join(await scratchFolder(t), 'proxies.json')
  await writeFile(path, JSON.stringify(proxies.slice(0, 1)))
  const server = await closedPort(t)

  const flags = ['--json', '--server', server]
  const { code, stdout, stderr } = await list(t, { TRAWL_PROXIES_FILE: path }, ...flags)

  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), [
    {
      label: 'first',
      type: 'datacenter',
      country: 'DE',
      protocol: 'http',
      address: 'proxy.test:3128',
      state: null,
      score: null,
      latency_ms: null,
    },
  ])
  assert.match(stderr, /No service answers/)
  assert.doesNotMatch(stderr, /State unknown|runs no tasks/)
  assert.doesNotMatch(stdout + stderr, /canary/)
})

test('trawl proxies reports an invalid list by entry number and field', async (t) => {
  const broken = JSON.stringify([...proxies, { ...proxies[0], type: 'canary' }])

  const { code, stderr } = await list(t, { TRAWL_PROXIES: broken })

  assert.equal(code, 78)
  assert.match(stderr, /TRAWL_PROXIES entry 4: type must be residential or datacenter/)
  assert.doesNotMatch(stderr, /canary/)
})

test('trawl proxies test checks each proxy and reports failures without credentials', async (t) => {
  const { port } = await startTestSite(t)
  const user = { name: 'canary-name', password: 'canary-word' }
  const [good, dead, strict] = [
    await startCountingProxy(t, { user }),
    await startCountingProxy(t, { user }),
    await startCountingProxy(t, { user: { ...user, password: 'another' } }),
  ]
  dead.kill()
  const listed = Object.entries({ good, dead, strict }).map(([label, proxy]) => ({
    url: urlOf(proxy, user),
    type: 'datacenter',
    label,
  }))
  const given = { ...reachingLoopback, TRAWL_PROXIES: JSON.stringify(listed) }
  const to = `127.0.0.1:${port}`

  const all = await runProxies(t, given, ['test', '--to', to])
  const alone = await runProxies(t, given, ['test', 'good', '--to', to])

  assert.equal(all.code, 1, all.stderr)
  const [titles, ...rows] = all.stdout.trimEnd().split('\n')
  assert.match(titles ?? '', /^label +ok +latency_ms +failure$/)
  assert.match(rows[0] ?? '', /^good +true +\d+ +-$/)
  assert.match(rows[1] ?? '', /^dead +false +- +.*ECONNREFUSED/)
  assert.match(rows[2] ?? '', /^strict +false +- +The proxy answered CONNECT with 407\.$/)
  assert.equal(rows.length, 3)
  assert.equal(alone.code, 0, alone.stderr)
  assert.match(alone.stdout, /^label .*\ngood +true +\d+ +-\n$/)
  const ask = { kind: 'tunnel', target: to, user: 'canary-name:canary-word' }
  assert.deepEqual([good.asked, strict.asked], [[ask, ask], [ask]])
  const said = [all, alone].map(({ stdout, stderr }) => stdout + stderr).join('')
  assert.doesNotMatch(said, /canary/)
  assert.ok(!said.includes(Buffer.from('canary-name:canary-word').toString('base64')))
})

/** On a busy machine a cooldown may end before the command runs; the next lasts twice as long. */
async function untilListed(
  pattern: RegExp,
  listOnce: () => ReturnType<typeof list>,
): ReturnType<typeof list> {
  for (let rounds = 1; ; rounds++) {
    const listed = await listOnce()
    if (pattern.test(listed.stdout) || rounds === 4) return listed
  }
}

const urlOf = ({ route }: CountingProxy, user?: ProxyUser): string =>
  `http://${user ? `${user.name}:${user.password}@` : ''}127.0.0.1:${route.port}`

/** An address where nobody listens. */
async function closedPort(t: TestContext): Promise<string> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}`
}
