/** Behind `npm test` and `npm run test:all`: brings the browsers, then runs the tests of a tier or those named. */
import { globSync } from 'node:fs'
import { constants } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { dot, junit, spec, tap } from 'node:test/reporters'
import { loadConfig } from '../server/src/config.ts'
import { startSharedPostgres } from '../server/test/support/shared-postgres.ts'
import { createSqliteTemplate } from '../server/test/support/sqlite-template.ts'
import { bringBrowser } from './bring-browser.ts'
import { isSlow, listTestFiles } from './test/list-files.ts'
import { readTestArguments } from './test/read-arguments.ts'
import { describeSlowest, type EndedFile, findEndedFile, reportFiles } from './test/report.ts'

// Ours and Node's; `--test-reporter` chooses.
const reporters: Record<string, typeof reportFiles> = { files: reportFiles, dot, tap, junit }
// A test that hangs fails, instead of hanging everyone who waits for it.
const testMsMax = 300_000

const { config } = loadConfig({})
const browserPath = await bringBrowser(config.browser, config.store.dataDir)
if (browserPath) process.env['TRAWL_BROWSER_PATH'] = browserPath

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
  const fullPath = await bringBrowser(
    { flavor: 'chrome', isFlavorRequired: true, install },
    join(config.store.dataDir, 'test-full-browser'),
  )
  if (fullPath) process.env['TRAWL_TEST_FULL_BROWSER'] = fullPath
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
