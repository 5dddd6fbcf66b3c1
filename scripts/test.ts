/** Behind `npm test` and `npm run test:all`: brings the browsers, then runs the tests of a tier or those named. */
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { dot, junit, spec, tap } from 'node:test/reporters'
import { loadConfig } from '../server/src/config.ts'
import {
  type EnsureBrowserOptions,
  ensureBrowser,
  type PresentBrowser,
} from '../server/src/engines/install/ensure-browser.ts'
import { startSharedPostgres } from '../server/test/support/shared-postgres.ts'
import { createSqliteTemplate } from '../server/test/support/sqlite-template.ts'
import { isSlow, listTestFiles } from './test/list-files.ts'
import { readTestArguments } from './test/read-arguments.ts'
import { describeSlowest, type EndedFile, findEndedFile, reportFiles } from './test/report.ts'

// Ours and Node's; `--test-reporter` chooses.
const reporters: Record<string, typeof reportFiles> = { files: reportFiles, dot, tap, junit }
// A test that hangs fails, instead of hanging everyone who waits for it.
const testMsMax = 300_000

const { config } = loadConfig({})
using setup = showBrowserSetup()
const bringBrowser = (
  settings: EnsureBrowserOptions['settings'],
  dataDir: string,
): Promise<PresentBrowser> => {
  const pathFolders = process.env['PATH']?.split(':')
  return ensureBrowser({ settings, dataDir, pathFolders, isWaitedFor: true }, setup.show)
}
const browser = await bringBrowser(config.browser, config.store.dataDir)
if (browser.path) process.env['TRAWL_BROWSER_PATH'] = browser.path

const interrupted = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    process.exitCode = 128 + constants.signals[signal]
    interrupted.abort()
  })
}

const { tier, named, concurrency, reporter, nodeFlags } = readTestArguments(process.argv.slice(2))
process.env['TRAWL_TEST_TIER'] = named.length > 0 ? 'named' : tier
// Several hundred processes load the same sources; compiling them is half of what that takes.
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/compiled')
const chosen = named.length > 0 ? globSync(named) : listTestFiles(tier)
if (chosen.length === 0) {
  console.error(`There is no such file: ${named.join(', ')}`)
  process.exit(1)
}
// Slow tests use a full browser as well. Its folder is its own: in ours it would replace the shell.
if (chosen.some(isSlow)) {
  const { install } = config.browser
  const full = await bringBrowser(
    { flavor: 'chrome', isFlavorRequired: true, install },
    join(config.store.dataDir, 'test-full-browser'),
  )
  if (full.path) process.env['TRAWL_TEST_FULL_BROWSER'] = full.path
}
await using _postgres = await startSharedPostgres()
await using _sqlite = await createSqliteTemplate()
const tests = run({
  files: chosen,
  concurrency,
  timeout: testMsMax,
  execArgv: nodeFlags,
  signal: interrupted.signal,
})
const files: EndedFile[] = []
tests.on('test:complete', (data) => {
  const file = findEndedFile(data)
  if (file) files.push(file)
})
tests.on('test:summary', ({ file, success }) => {
  if (!file && !success) process.exitCode ??= 1
})
await pipeline(tests.compose(reporters[reporter] ?? spec()), process.stdout, { end: false })
if (files.length > 1) console.log(describeSlowest(files))

/** Reports the installation of a browser to a waiting user; prints nothing if it is installed already. */
function showBrowserSetup(): { show: (present: PresentBrowser) => void } & Disposable {
  const line = '[setup] browser ........ '
  let startedAtMs = 0
  const seconds = () => Math.round((performance.now() - startedAtMs) / 1000)
  let timer: NodeJS.Timeout | undefined

  return {
    show({ state, version, reason }) {
      if (state === 'installing') {
        console.error(`${line}${reason}, because the tests need it`)
        startedAtMs = performance.now()
        timer = setInterval(() => console.error(`${line}${seconds()} s`), 10_000)
      } else if (state === 'absent') console.error(`${line}${reason}`)
      else if (timer) console.error(`${line}Chromium ${version} after ${seconds()} s`)
      if (state !== 'installing') timer = void clearInterval(timer)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
