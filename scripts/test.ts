/** Behind `npm test`: brings a browser, then runs every test, or those named on the command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { loadConfig } from '../server/src/config.ts'
import { ensureBrowser } from '../server/src/engines/ensure-browser.ts'
import { showBrowserSetup } from './show-browser-setup.ts'

const everyTest = [
  'scripts/**/*.test.ts',
  'sdk/**/*.test.ts',
  'server/src/**/*.test.ts',
  'server/test/**/*.test.ts',
]
const fileMsMax = 300_000
const globalSetup = 'server/test/support/global-setup.ts'

const { config } = loadConfig({})
using setup = showBrowserSetup()
const browser = await ensureBrowser(
  {
    settings: config.browser,
    dataDir: config.store.dataDir,
    pathFolders: process.env['PATH']?.split(':'),
    isWaitedFor: true,
  },
  setup.show,
)

const args = process.argv.slice(2)
const isFlag = (word: string): boolean => word.startsWith('-')
const files = args.some((word) => !isFlag(word))
  ? args.filter((word) => !isFlag(word))
  : everyTest.flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }))

const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${availableParallelism()}`,
    // A test that hangs fails, instead of hanging everyone who waits for it.
    `--test-timeout=${fileMsMax}`,
    ...(existsSync(globalSetup) ? [`--test-global-setup=${globalSetup}`] : []),
    ...args.filter(isFlag),
    ...files,
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, ...(browser.path && { TRAWL_BROWSER_PATH: browser.path }) },
  },
)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => runner.kill('SIGTERM'))
}
const [code, signal] = await once(runner, 'close')
process.exitCode = code ?? 128 + constants.signals[signal as NodeJS.Signals]
