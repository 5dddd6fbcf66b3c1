import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startTestService } from '../support/test-service.ts'

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

async function list(t: TestContext, given: Record<string, string>, ...flags: string[]) {
  const cwd = await scratchFolder(t)
  const program = runTrawl(t, ['proxies', 'list', ...flags], { cwd, environment: given })
  const code = await program.whenEnded
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

test('proxies are listed with how they are in a running service, without credentials', async (t) => {
  const { url } = await startTestService(t, { environment: { ...environment, TRAWL_ROLES: 'api' } })

  const { code, stdout, stderr } = await list(t, environment, '--server', url)

  assert.equal(code, 0, stderr)
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    'label                     type         country     protocol  address             state  score  latency_ms',
    'first                     datacenter   DE          http      proxy.test:3128     ready  1      -',
    'residential-us-2275df2c   residential  any, or US  socks5    [2001:db8::1]:1080  ready  1      -',
    'residential-any-ed448872  residential  any         https     gateway.test:443    ready  1      -',
  ])
  assert.match(stderr, /runs no tasks: its workers, each for itself, know how proxies are/)
  assert.doesNotMatch(stderr, /Without figures/)
  assert.doesNotMatch(stdout + stderr, /canary/)
})

test('those of which the service tells nothing are counted', async (t) => {
  const many = Array.from({ length: 103 }, (_, index) => ({ ...proxies[0], label: `p${index}` }))
  const given = { TRAWL_PROXIES: JSON.stringify(many) }
  const { url } = await startTestService(t, {
    environment: { ...given, TRAWL_ROLES: 'api,worker' },
  })

  const { stdout, stderr } = await list(t, given, '--server', url)

  assert.equal(stdout.match(/ +- {6}-/g)?.length, 3, stdout)
  assert.match(stderr, /^Without figures: 3 of 103; a service tells of 100 at most\.$/m)
  assert.doesNotMatch(stderr, /runs no tasks/)
})

test('without a running service they are listed all the same, also from a file', async (t) => {
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
  assert.doesNotMatch(stderr, /Without figures|runs no tasks/)
  assert.doesNotMatch(stdout + stderr, /canary/)
})

test('a list that is not right is refused by number and field', async (t) => {
  const broken = JSON.stringify([...proxies, { ...proxies[0], type: 'canary' }])

  const { code, stderr } = await list(t, { TRAWL_PROXIES: broken })

  assert.equal(code, 78)
  assert.match(stderr, /TRAWL_PROXIES entry 4: type must be residential or datacenter/)
  assert.doesNotMatch(stderr, /canary/)
})

/** An address at which nobody answers. */
async function closedPort(t: TestContext): Promise<string> {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as { port: number }
  return `http://127.0.0.1:${port}`
}
