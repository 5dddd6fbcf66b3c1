import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCommandRuns } from '../support/command-runs.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { endOf, startCommandScene } from '../support/run-job-command.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { until } from '../support/until.ts'

const launcher = fileURLToPath(new URL('../../../scripts/launch.mjs', import.meta.url))

test('a resumed batch writes only the pages that its folder does not have', async (t) => {
  const { run, cwd } = await startCommandScene(t)
  const site = await startPageSite(t)
  for (const path of ['/1', '/2', '/3']) site.page(path, `<h1>Page ${path}</h1>`)
  const stdin = ['/1', '/2', '/3']
    .map((path) => site.url(path))
    .concat('nonsense')
    .join('\n')
  const first = await run(['batch', '-', '--out', 'o'], { stdin })
  const [, id = ''] = /Batch (\S+):/.exec(first.stderr) ?? []
  const indexFile = join(cwd, 'o', 'index.ndjson')
  const [one = '', two = '', three = '', refused = ''] = (await readFile(indexFile, 'utf8')).split(
    '\n',
  )
  // As a process that was killed while it wrote a line of the index would leave it.
  await writeFile(indexFile, `${one}\n${three}\n${refused}\n${two.slice(0, 30)}`)
  const namesBefore = await readdir(join(cwd, 'o'))

  const resumed = await run(['batch', '--resume', id, '--out', 'o'])
  const onceMore = await run(['batch', '--resume', id, '--out', 'o'])

  assert.deepEqual([first.code, resumed.code, onceMore.code], [1, 1, 1], resumed.stderr)
  const lines = (await readFile(indexFile, 'utf8')).trimEnd().split('\n')
  assert.deepEqual(lines.slice(0, 4), [one, three, refused, two.slice(0, 30)])
  assert.deepEqual(
    lines.slice(4).map((line) => JSON.parse(line).url),
    [site.url('/2')],
  )
  assert.equal((await readdir(join(cwd, 'o'))).length, namesBefore.length + 1)
})

test('trawl batch --cancel-on-interrupt cancels the batch with Ctrl-C', async (t) => {
  const { start, account } = await startCommandScene(t)
  const site = await startHoldingSite(t)
  const begun = start(['batch', '-', '--cancel-on-interrupt'], { stdin: site.url('/1') })
  const held = await site.untilHeld('/1')

  begun.child.kill('SIGINT')
  const { code, stderr } = await endOf(begun)
  held.answer()

  assert.equal(code, 130, stderr)
  const [, id] = /The batch (\S+) is cancelled/.exec(stderr) ?? []
  assert.equal((await account.call(`GET /v1/batch/${id}`)).json().status, 'cancelled')
})

test('SIGINT to the launcher or to its process group is Ctrl-C for trawl batch', async (t) => {
  const { cwd, account, service } = await startCommandScene(t)
  const site = await startHoldingSite(t)
  const environment = { TRAWL_API_KEY: account.apiKey, TRAWL_URL: service.url }
  // A flag of Node makes the launcher start the command as a child, as an older Node does.
  const args = ['--no-warnings', 'server/src/cli.ts', 'batch', '-']

  for (const [path, toGroup] of Object.entries({ '/launcher': false, '/group': true })) {
    const stdin = site.url(path)
    const through = ['setsid']
    const begun = runTrawl(t, args, { cwd, cli: launcher, through, environment, stdin })
    const held = await site.untilHeld(path)
    const pid = begun.child.pid ?? assert.fail()

    process.kill(toGroup ? -pid : pid, 'SIGINT')
    const { code, stderr } = await endOf(begun)
    held.answer()

    assert.equal(code, 130, stderr)
    assert.match(stderr, /The batch \S+ stays with the service/)
  }
})

test('a terminated trawl batch exits with 143, and the batch goes on', async (t) => {
  const { start, account } = await startCommandScene(t)
  const site = await startHoldingSite(t)
  const begun = start(['batch', '-'], { stdin: site.url('/1') })
  const held = await site.untilHeld('/1')

  begun.child.kill('SIGTERM')
  const { code, stderr } = await endOf(begun)
  held.answer()

  assert.equal(code, 143, stderr)
  const [, id] = /The batch (\S+) stays with the service/.exec(stderr) ?? []
  const statusOf = async () => (await account.call(`GET /v1/batch/${id}`)).json().status
  await until(async () => (await statusOf()) === 'completed')
})

test('trawl batch --timeout ends with exit 7 and names the batch, which goes on', async (t) => {
  const { run, account } = await startCommandScene(t)
  const site = await startHoldingSite(t)

  const { code, stderr } = await run(['batch', '-', '--timeout', '3'], { stdin: site.url('/1') })

  assert.equal(code, 7, stderr)
  assert.match(stderr, /The batch did not end within 3 s\./)
  const [, id] = /npx trawl batch --resume (\S+)/.exec(stderr) ?? []
  const { status } = (await account.call(`GET /v1/batch/${id}`)).json()
  ;(await site.untilHeld('/1')).answer()
  assert.ok(['queued', 'processing'].includes(status), status)
})

const badUsages: [args: string[], said: RegExp][] = [
  [['batch'], /Give a file of URLs, or - for stdin, or --resume JOB_ID/],
  [['batch', '-'], /There is no URL in -/],
  [['batch', 'no-such-file'], /Cannot read no-such-file: ENOENT/],
  [['batch', '-', '--json'], /--json goes with --out/],
  [['crawl'], /Give a URL or --resume JOB_ID, one of the two/],
  [['crawl', 'http://a.test/', '--depth', '11'], /whole number from 1 to 10/],
  [['batch', '--resume', '../../v1/webhooks'], /It must be an id/],
  [['batch', '-', '--format', 'pdf'], /Allowed choices are markdown, text, html, links, json/],
  [['batch', '-', '--resume', '01a1e75d-b99d-7000-93fe-4b1207cc9688'], /needs --skip/],
  [['batch', 'package.json/x', '--out', '/dev/null/x'], /Cannot write to \/dev\/null\/x: ENOTDIR/],
]

test('bad usage of trawl batch and trawl crawl is named, exit 2', async (t) => {
  const run = await startCommandRuns(t, { cwd: await scratchFolder(t), environment: {} })

  for (const [args, said] of badUsages) {
    const { code, stderr } = await run(args)

    assert.equal(code, 2, `${args.join(' ')}: ${stderr}`)
    assert.match(stderr, said)
  }
})

test('the help of trawl batch and trawl crawl lists the exit codes', async (t) => {
  const run = await startCommandRuns(t, { cwd: await scratchFolder(t), environment: {} })

  for (const command of ['batch', 'crawl']) {
    const { code, stdout } = await run([command, '--help'])

    assert.equal(code, 0)
    for (const exitCode of [0, 1, 2, 3, 4, 5, 6, 7, 130, 143]) {
      assert.match(
        stdout.slice(stdout.indexOf('Exit codes:')),
        new RegExp(`\\b${exitCode} [a-zA-Z]`),
      )
    }
  }
})
