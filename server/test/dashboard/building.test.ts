import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type DashboardMode,
  type DashboardOptions,
  startDashboard,
} from '../../src/dashboard/dashboard.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { silentLog } from '../support/test-store.ts'

/** Builds as the real one does, but in a moment: it writes what the service serves. */
const builds = `
  import { mkdirSync, writeFileSync } from 'node:fs'
  import { stampOfSources } from '${new URL('../../src/dashboard/source-stamp.ts', import.meta.url)}'
  mkdirSync('dashboard/dist/assets', { recursive: true })
  writeFileSync('dashboard/dist/index.html', 'page')
  writeFileSync('dashboard/dist/assets/a.js', 'script')
  writeFileSync('dashboard/dist/assets/a.js.br', 'small')
  writeFileSync('dashboard/dist/stamp', await stampOfSources(process.cwd()))`

test('a dashboard that is not built is built at the start, and served afterwards', async (t) => {
  const { start } = await createRepository(t, builds)
  await using dashboard = start('auto')
  assert.equal(dashboard.files(), undefined)

  await dashboard.whenSettled

  assert.equal(dashboard.notice(), undefined)
  const file = dashboard.files()?.assets.get('a.js')
  assert.equal(String(file?.plain), 'script')
  assert.equal(String(file?.brotli), 'small')
  assert.equal(dashboard.files()?.assets.has('a.js.br'), false)
})

test('a dashboard of the same sources is not built again, one of older sources is', async (t) => {
  const { start, write } = await createRepository(t, builds)
  await start('auto').whenSettled
  await write('scripts/launch.mjs', 'process.exit(1)')

  await using same = start('auto')
  await same.whenSettled
  assert.equal(same.notice(), undefined)

  await write('dashboard/src/main.tsx', 'changed')
  await using changed = start('auto')
  await changed.whenSettled
  assert.match(String(changed.notice()), /could not be built/)
  assert.ok(changed.files(), 'the older one is still served')
})

test('a build that fails is logged with its reason, of which strangers see nothing', async (t) => {
  const { start, folder } = await createRepository(
    t,
    `console.error('[setup] npm ci failed (exit 1). Check the network.'); process.exit(69)`,
  )
  const warn = t.mock.method(silentLog, 'warn')
  await using dashboard = start('auto')

  await dashboard.whenSettled

  assert.equal(
    dashboard.notice(),
    'The dashboard could not be built. The log of the service says why. ' +
      'To try again, run "npm run dashboard" and restart it.',
  )
  assert.equal(dashboard.isBuilding(), false)
  const path = join(folder, 'data/dashboard-build.log')
  const reason = `[setup] npm ci failed (exit 1). Check the network. See ${path}.`
  assert.equal(dashboard.problem(), reason)
  assert.ok(warn.mock.calls.some(({ arguments: [message] }) => String(message).includes(reason)))
})

test('a build that takes too long is ended', async (t) => {
  const { start } = await createRepository(t, 'setInterval(() => {}, 1_000_000)')
  await using dashboard = start('auto', { buildMsMax: 1 })

  await dashboard.whenSettled

  assert.match(String(dashboard.problem()), /^It took longer than /)
  assert.match(String(dashboard.notice()), /could not be built/)
})

const isLinux = process.platform === 'linux'

test('where memory runs out the build ends before the service', { skip: !isLinux }, async (t) => {
  const { start } = await createRepository(
    t,
    `import { readFileSync } from 'node:fs'
     const score = () => Number(readFileSync('/proc/self/oom_score_adj', 'utf8'))
     const timer = setInterval(() => score() === 1000 && process.exit(0), 1)`,
  )
  await using dashboard = start('auto', { buildMsMax: 20_000 })

  await dashboard.whenSettled

  assert.equal(dashboard.problem(), undefined)
})

test('a service that stops ends the build', async (t) => {
  const { start } = await createRepository(t, 'setInterval(() => {}, 1_000_000)')
  const dashboard = start('auto')

  await dashboard[Symbol.asyncDispose]()

  assert.equal(dashboard.files(), undefined)
})

test('nothing is built where the setting says so, and no notice asks for it where it is off', async (t) => {
  const { start } = await createRepository(t, 'process.exit(1)')

  await using built = start('built')
  await using off = start('off')
  await built.whenSettled

  assert.match(String(built.notice()), /is not built.*"npm run dashboard"/)
  assert.equal(off.notice(), undefined)
})

async function createRepository(t: TestContext, launcher: string) {
  const folder = await scratchFolder(t)
  const write = async (path: string, content: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  await write('scripts/launch.mjs', launcher)
  for (const name of ['build.ts', 'index.html', 'package.json', 'package-lock.json']) {
    await write(`dashboard/${name}`, '')
  }
  await write('dashboard/src/main.tsx', '')
  await write('sdk/src/index.ts', '')
  for (const name of ['curl-command.ts', 'printable-json.ts']) {
    await write(`cli/src/curl/${name}`, '')
  }
  const start = (mode: DashboardMode, given: Partial<DashboardOptions> = {}) =>
    startDashboard({
      mode,
      root: folder,
      dataDir: join(folder, 'data'),
      buildVariables: {},
      log: silentLog,
      ...given,
    })
  return { folder, write, start }
}
