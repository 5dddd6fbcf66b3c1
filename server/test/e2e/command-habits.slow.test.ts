import assert from 'node:assert/strict'
import { chmod, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type LocalScene, startLocalScene } from '../support/command-scene.ts'
import { documentsIn, type EndedCommand, endOf } from '../support/run-job-command.ts'
import { respondJson, startScriptedService } from '../support/scripted-service.ts'
import { until } from '../support/until.ts'

const escapeCode = '\u001b'
const unknownId = '01a1e75d-b99d-7000-93fe-4b1207cc9688'
const scenario = (sentence: string, run: (scene: LocalScene, t: TestContext) => Promise<void>) => ({
  sentence,
  run,
})

/** What `trawl` writes to a terminal of the given width. */
async function onTerminal(
  { start }: LocalScene,
  args: string[],
  { columns = 80, setting = 'TERM=xterm' }: { columns?: number; setting?: string } = {},
): Promise<EndedCommand> {
  // The words of the program follow as "$@"; script gives them a terminal of their own.
  const inside = `stty cols ${columns}; ${setting} exec "$0" "$@"`
  const quoting =
    'cmd=; for w in "$@"; do cmd="$cmd \'$w\'"; done; exec script -qec "sh -c \'$0\' $cmd" /dev/null'
  return await endOf(start(args, { through: ['sh', '-c', quoting, inside.replaceAll("'", '')] }))
}

const scenarios = [
  scenario(
    'tasks tail prints each change as NDJSON, and Ctrl-C ends it with 130',
    async (scene) => {
      const tailing = scene.start(['tasks', 'tail', '--json'])
      await tailing.whenSaid(/Watching/)
      const id = await scene.endedTask()
      const seen = () => documentsIn(tailing.stdout().replace(/[^\n]*$/, ''))
      await until(() =>
        seen().some((one) => one['task_id'] === id && one['status'] === 'completed'),
      )

      tailing.child.kill('SIGINT')
      const { code, stderr } = await endOf(tailing)

      assert.equal(code, 130, stderr)
      assert.match(stderr, /To go on: npx trawl tasks tail --last-event-id \S+\n$/)
      const [, lastId = ''] = /--last-event-id (\S+)/.exec(stderr) ?? []
      const next = await scene.endedTask()
      const again = scene.start(['tasks', 'tail', '--last-event-id', lastId])
      await until(() => again.stdout().includes(`${next}  completed`))
      again.child.kill('SIGINT')
      assert.equal((await endOf(again)).code, 130)
    },
  ),
  scenario('jobs wait detaches with Ctrl-C, and goes on when it is run again', async (scene) => {
    const id = await scene.batch()
    const waiting = scene.start(['jobs', 'wait', id, '--verbose'])
    await waiting.whenSaid(/< 200 GET \S+\/v1\/jobs\//)
    waiting.child.kill('SIGINT')
    const { code, stderr } = await endOf(waiting)
    const late = await scene.run(['jobs', 'wait', id, '--timeout', '1'])
    for (const held of scene.holding.heldAt('/batch')) held.answer()
    const done = await scene.run(['jobs', 'wait', id, '--json'])

    assert.equal(code, 130)
    assert.match(stderr, new RegExp(`npx trawl jobs wait ${id}`))
    assert.equal(late.code, 7, late.stderr)
    assert.equal(done.code, 0, done.stderr)
    assert.equal(JSON.parse(done.stdout).completed, 1)
  }),
  scenario(
    'a profile is kept for its user alone and used only for its own server',
    async (scene, t) => {
      const stranger = await startScriptedService(t, (_call, response) =>
        response.end('{"items":[]}'),
      )
      const saved = await endOf(
        scene.start(['profile', 'save', '--server', scene.url, '--json'], {
          stdin: `${scene.apiKey}\n`,
        }),
      )
      const { file } = JSON.parse(saved.stdout)
      const elsewhere = ['--data-dir', 'nowhere']
      const used = await scene.run(['webhooks', 'list', '--json', ...elsewhere])
      await scene.run(['webhooks', 'list', '--server', stranger.url])
      const refused = await scene.run([
        'profile',
        'save',
        '--server',
        scene.url,
        '--api-key',
        'wrong',
      ])
      await scene.run(['profile', 'remove'])
      const none = await scene.run(['profile', 'show'])

      assert.equal(file, join(scene.cwd, '.config', 'trawl', 'profile.json'))
      assert.equal(used.code, 0, used.stderr)
      assert.deepEqual(
        stranger.calls.map(({ headers }) => headers['x-api-key']),
        [undefined],
      )
      assert.deepEqual([refused.code, none.code], [3, 4])
    },
  ),
  scenario(
    'a profile has the mode 0600, and one that others may read is refused',
    async (scene) => {
      const { run, cwd, url, apiKey } = scene
      await run(['profile', 'save', '--server', url, '--api-key', apiKey])
      const path = join(cwd, '.config', 'trawl', 'profile.json')
      const { mode } = await stat(path)
      await chmod(path, 0o644)
      const refused = await run(['tasks', 'list'])
      await run(['profile', 'remove'])

      assert.equal(mode & 0o777, 0o600)
      assert.equal(refused.code, 78)
      assert.match(refused.stderr, /can be read by others\. Run: chmod 600/)
    },
  ),
  scenario(
    '--verbose names the calls and --quiet says nothing; neither shows the key',
    async (scene) => {
      const verbose = await scene.run(['tasks', 'list', '--verbose'])
      const quiet = await scene.run(['scrape', scene.site.url('/'), '--quiet'])

      assert.match(verbose.stderr, /^> GET http:\S+\/v1\/tasks\?\S+ {2}X-Api-Key: \*\*\*\n< 200 /)
      assert.ok(!verbose.stderr.includes(scene.apiKey))
      assert.deepEqual([quiet.code, quiet.stderr], [0, ''])
    },
  ),
  scenario('--print-curl makes no call, and prints one without the key', async (scene) => {
    const site = scene.site.url('/')
    const asked = scene.site.asked.length
    const lines = [
      ['scrape', site],
      ['extract', site],
      ['batch', 'urls'],
      ['crawl', site],
      ['map', site],
      ['tasks', 'retry', unknownId],
      ['tasks', 'tail'],
      ['jobs', 'cancel', unknownId, '--kind', 'batch'],
      ['webhooks', 'create', site],
    ]
    for (const line of lines) {
      const { code, stdout, stderr } = await scene.run([...line, '--print-curl'])
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^curl --globoff .*\n {2}--header "X-Api-Key: \$TRAWL_API_KEY"/)
      assert.ok(!stdout.includes(scene.apiKey))
    }
    assert.equal(scene.site.asked.length, asked)
  }),
  scenario('no service and a limited one have exit codes of their own', async (scene, t) => {
    const limited = await startScriptedService(t, (_call, response) => {
      response.writeHead(429).end('{"code":"RATE_LIMITED","message":"Words."}')
    })
    const codes = [
      (await scene.run(['tasks', 'list', '--server', 'http://127.0.0.1:1'])).code,
      (await scene.run(['tasks', 'list', '--server', limited.url])).code,
      (await scene.run(['tasks', 'list', '--api-key', 'wrong'])).code,
    ]

    assert.deepEqual(codes, [6, 5, 3])
  }),
  scenario('-o writes to a file, and --stream gives every page as NDJSON', async (scene) => {
    const written = await scene.run(['tasks', 'list', '--json', '-o', 'tasks.json'])
    const streamed = await scene.run(['tasks', 'list', '--stream'])
    const { tasks } = JSON.parse(await readFile(join(scene.cwd, 'tasks.json'), 'utf8'))

    assert.equal(written.stdout, '')
    assert.deepEqual(Object.keys(documentsIn(streamed.stdout)[0] ?? {}), Object.keys(tasks[0]))
  }),
  scenario('on a terminal, tables fit its width and hostile text stays text', async (scene, t) => {
    const url = `https://a.test/${escapeCode}]0;owned\u0007\u009b31m${'x'.repeat(200)}`
    const item = {
      id: unknownId,
      event_type: 'batch_completed',
      is_active: true,
      url,
      description: '',
    }
    const hostile = await startScriptedService(t, (_call, response) =>
      respondJson(response, 200, { items: [item], page: 1, page_count: 1 }),
    )
    const list = ['webhooks', 'list', '--server', hostile.url]
    const table = await onTerminal(scene, list, { columns: 110 })
    const narrow = await onTerminal(scene, list, { columns: 50 })
    const json = await onTerminal(scene, [...list, '--json'])
    const plain = await onTerminal(scene, list, { columns: 110, setting: 'TERM=xterm NO_COLOR=1' })
    const dumb = await onTerminal(scene, list, { columns: 110, setting: 'TERM=dumb' })
    const flag = await onTerminal(scene, [...list, '--no-color'], { columns: 110 })
    const forced = await endOf(scene.start(list, { through: ['env', 'FORCE_COLOR=1'] }))

    const styles = new RegExp(`${escapeCode}\\[[0-9;]*m`, 'g')
    assert.ok(table.stdout.includes(escapeCode), 'The header is bold.')
    assert.ok(forced.stdout.includes(escapeCode), 'The header is bold in a pipe too.')
    for (const { stdout } of [plain, dumb, flag]) assert.ok(!stdout.includes(escapeCode), stdout)
    for (const { stdout } of [table, narrow, json, plain]) {
      assert.doesNotMatch(stdout.replaceAll(styles, ''), /[^\P{Cc}\r\n]/u)
    }
    for (const line of table.stdout.replaceAll(styles, '').split('\r\n')) {
      assert.ok(line.length <= 110, line)
    }
    assert.match(narrow.stdout, /^is_active +true\r$/m)
    assert.equal(JSON.parse(json.stdout).items[0].url, url)
  }),
  scenario(
    'config fits a terminal too, and a batch has a bar there unless it is quiet',
    async (scene) => {
      const config = await onTerminal(scene, ['config'])
      const bar = await onTerminal(scene, ['batch', 'urls', '--out', 'seen'])
      const quiet = await onTerminal(scene, ['batch', 'urls', '--out', 'quiet', '--quiet'])

      for (const line of config.stdout.split('\r\n')) assert.ok(line.length <= 80, line)
      assert.match(bar.stdout, /Batch \S*[█░]/)
      assert.equal(quiet.stdout, '')
    },
  ),
]

test('the command line behaves as documented', async (t) => {
  const scene = await startLocalScene(t)

  for (const { sentence, run } of scenarios) {
    await t.test(sentence, (inner) => run(scene, inner))
  }
})
