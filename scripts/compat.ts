/**
 * Behind `npm run compat`: third-party clients of the API and of MCP, our SDK in other runtimes,
 * programs that import the API description, completions in other shells.
 */
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../server/src/config.ts'
import { bringBrowser } from './bring-browser.ts'
import { tryImports } from './compat/collection-imports.ts'
import { CompatProblem, runCommand } from './compat/command.ts'
import { tryInspector } from './compat/mcp-inspector.ts'
import { ensurePythonEnvironment } from './compat/python-environment.ts'
import { tryPythonSnippets } from './compat/python-snippets.ts'
import type { CheckCounts } from './compat/run-checks.ts'
import { trySdk } from './compat/sdk-trial.ts'
import { tryShells } from './compat/shells.ts'
import { startTrawlProcess } from './compat/trawl-process.ts'

// Half a minute is enough on an idle machine.
const checksTimeoutMs = 600_000
const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const cacheDir = pathOf('../.cache/compat')

const interruption = new AbortController()
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(name, () => {
    process.exitCode = 128 + constants.signals[name]
    interruption.abort(name)
  })
}

try {
  const results = [
    await tryShells(interruption.signal),
    await trySdk(cacheDir, interruption.signal),
    await tryInspector(cacheDir, interruption.signal),
    await tryImports(cacheDir, interruption.signal),
    ...(await runClients(interruption.signal)),
  ]
  const [passedCount, failedCount] = (['passedCount', 'failedCount'] as const).map((name) =>
    results.reduce((sum, counts) => sum + counts[name], 0),
  )
  console.log(`${passedCount} passed, ${failedCount} failed`)
  process.exitCode = failedCount === 0 ? 0 : 1
} catch (error) {
  if (error instanceof CompatProblem) {
    console.error(error.message)
    process.exitCode = 69
  } else if (!interruption.signal.aborted) throw error
}

async function runClients(signal: AbortSignal): Promise<CheckCounts[]> {
  const requirementsPath = pathOf('compat/requirements.txt')
  const python = await ensurePythonEnvironment({ requirementsPath, cacheDir }, signal)
  const { config } = loadConfig({})
  const browserPath = await bringBrowser(config.browser, config.store.dataDir)
  await using service = await startTrawlProcess(signal, browserPath)
  const counts = { passedCount: 0, failedCount: 0 }
  const { exitCode } = await runCommand({
    program: python,
    // Isolated from the user's Python settings, and without bytecode files beside the sources.
    args: ['-E', '-s', '-B', '-u', '-X', 'utf8', pathOf('compat/run.py')],
    environment: { PATH: process.env['PATH'], TRAWL_URL: service.url, ...service.credentials },
    timeoutMs: checksTimeoutMs,
    onLine(line) {
      if (line.startsWith('✓ ')) counts.passedCount++
      if (line.startsWith('✗ ')) counts.failedCount++
      console.log(line)
    },
    signal,
  })
  const hasEndedEarly = exitCode !== 0 && counts.failedCount === 0
  if (hasEndedEarly || counts.passedCount === 0) {
    console.log(`✗ the checks run to their end (exit ${exitCode})`)
    counts.failedCount++
  }
  if (counts.failedCount > 0) console.log(`stderr of the service:\n${service.stderr()}`)
  return [counts, await tryPythonSnippets(python, signal)]
}
