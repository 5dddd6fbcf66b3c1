import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const quiet = { TRAWL_BROWSER_INSTALL: 'never', TRAWL_PORT: '0' }

test('trawl serve prints its addresses, answers, and exits with 0 on SIGTERM', async (t) => {
  const cwd = await scratchFolder(t)
  const environment = { ...quiet, TRAWL_DASHBOARD: 'built' }
  const program = runTrawl(t, ['serve'], { cwd, environment })
  const [banner, url] = await program.whenSaid(/is ready\n +API +(http:\S+)[\s\S]*Try: .*/)
  const answer = await fetch(`${url}/readyz`)

  program.child.kill('SIGTERM')

  assert.equal(answer.status, 200)
  assert.match(banner, new RegExp(`\n +Dashboard +${url}/\n`))
  // Two lines of the launcher come before: all of it is to be seen at a glance.
  assert.ok(banner.split('\n').length <= 10, banner)
  assert.equal(await program.whenEnded, 0)
  assert.equal(program.stdout(), '')
})

test('trawl serve exits with 0 on Ctrl-C', async (t) => {
  const cwd = await scratchFolder(t)
  const program = runTrawl(t, ['serve'], { cwd, environment: quiet })
  await program.whenSaid(/is ready/)

  program.child.kill('SIGINT')

  assert.equal(await program.whenEnded, 0)
  assert.doesNotMatch(program.stderr(), /Dashboard|sign-in=/)
})

test('trawl serve on a taken port says what to do, exit 69', async (t) => {
  const cwd = await scratchFolder(t)
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const program = runTrawl(t, ['serve', '--port', String(port)], { cwd, environment: quiet })

  assert.equal(await program.whenEnded, 69)
  assert.ok(
    program.stderr().includes(`Port ${port} is in use. Try: npm start -- --port ${port + 1}`),
  )
})

test('trawl serve that may open too few files says what to do, exit 78', async (t) => {
  const cwd = await scratchFolder(t)
  const through = ['sh', '-c', 'ulimit -n 200 && exec "$0" "$@"']
  const program = runTrawl(t, ['serve'], { cwd, environment: quiet, through })

  assert.equal(await program.whenEnded, 78)
  assert.match(program.stderr(), /may open only 200 files and sockets.* ulimit -n 4096/)
})

test('all invalid settings are named at once, exit 78', async (t) => {
  const cwd = await scratchFolder(t)
  const environment = { TRAWL_PORT: 'x', TRAWL_ROLES: 'cook', TRAWL_HSOT: 'y' }
  const program = runTrawl(t, ['serve'], { cwd, environment })

  assert.equal(await program.whenEnded, 78)
  assert.match(program.stderr(), /TRAWL_PORT must be/)
  assert.match(program.stderr(), /TRAWL_ROLES must be/)
})

for (const [env, secret] of [
  ['TRAWL_PASSWORD', 'seven77'],
  ['TRAWL_CALLBACK_SECRET', 'canary-that-is-too-short'.slice(1)],
] as const) {
  test(`a ${env} that is too short is refused with exit 78 and not shown`, async (t) => {
    const cwd = await scratchFolder(t)
    const program = runTrawl(t, ['serve'], { cwd, environment: { ...quiet, [env]: secret } })

    assert.equal(await program.whenEnded, 78)
    assert.match(program.stderr(), new RegExp(`${env} must `))
    assert.ok(!program.stderr().includes(secret))
  })
}

test('a password of fewer than 12 characters causes a warning at start', async (t) => {
  const cwd = await scratchFolder(t)
  const environment = { ...quiet, TRAWL_PASSWORD: 'eleven11111' }
  const program = runTrawl(t, ['serve'], { cwd, environment })
  await program.whenSaid(/is ready/)

  assert.match(program.stderr(), /TRAWL_PASSWORD is short: choose 12 characters or more\./)
})

test('a browser path that does not work is refused, never ignored, exit 78', async (t) => {
  const cwd = await scratchFolder(t)
  const environment = { ...quiet, CHROME_PATH: '/x/chrome' }
  const program = runTrawl(t, ['serve'], { cwd, environment })

  assert.equal(await program.whenEnded, 78)
  assert.match(program.stderr(), /CHROME_PATH=\/x\/chrome does not exist or is not executable\./)
})

test('a data folder that cannot be created is reported with advice, exit 78', async (t) => {
  const cwd = await scratchFolder(t)
  await writeFile(join(cwd, 'data'), 'a file, not a folder')
  const program = runTrawl(t, ['serve'], { cwd, environment: quiet })

  assert.equal(await program.whenEnded, 78)
  assert.match(program.stderr(), /Cannot write to \.\/data.*set TRAWL_DATA_DIR/)
})

test('a file that is not a database is refused by name, exit 69', async (t) => {
  const cwd = await scratchFolder(t)
  const dataDir = join(cwd, 'state')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'trawl.db'), 'This is not a database. '.repeat(100))
  const program = runTrawl(t, ['serve', '--data-dir', dataDir], { cwd, environment: quiet })

  assert.equal(await program.whenEnded, 69)
  assert.ok(program.stderr().includes(join(dataDir, 'trawl.db')))
})

test('no secret gets into the log, whatever is logged', async (t) => {
  const cwd = await scratchFolder(t)
  const environment = {
    ...quiet,
    TRAWL_LOG_LEVEL: 'trace',
    TRAWL_PASSWORD: 'canary-password',
    TRAWL_API_KEY: 'canary-api-key-canary',
    TRAWL_SECRET_KEY: Buffer.alloc(32, 'canary').toString('base64'),
    TRAWL_PROXIES:
      '[{"url":"http://u:canary-proxy@proxy.test:1","type":"datacenter","country":"DE"}]',
  }
  const program = runTrawl(t, ['serve'], { cwd, environment })
  const [, url] = await program.whenSaid(/API +(http:\S+)/)
  const headers = {
    authorization: `Basic ${btoa('admin:canary-basic')}`,
    'x-api-key': 'canary-header',
    cookie: 'session=canary-cookie',
  }
  await fetch(`${url}/readyz?token=canary-query`, { headers })
  await fetch(`${url}/nope/canary-path`, { method: 'POST', headers, body: 'canary-body' })
  program.child.kill('SIGTERM')
  await program.whenEnded

  assert.match(program.stderr(), /"responded"/)
  assert.doesNotMatch(program.stderr(), /canary|Y2FuYX/)
})
