import { randomUUID } from 'node:crypto'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleTrial, reportMark } from '../../sdk/test/support/bundle-trial.ts'
import { expectReport } from '../../sdk/test/support/expect-report.ts'
import { startTrialGateway } from '../../sdk/test/support/trial-gateway.ts'
import type { TrialReport } from '../../sdk/test/trial/run-trial.ts'
import { buildEsModules } from '../pack-sdk/build-package.ts'
import { runCommand } from './command.ts'
import { ensureRuntimes, type JavascriptRuntime } from './javascript-runtimes.ts'
import { startTrawlProcess } from './trawl-process.ts'

const trialTimeoutMs = 120_000

/** Runs the trial of the SDK, as it is published, in each runtime that is not ours. */
export async function trySdk(cacheDir: string, signal: AbortSignal) {
  const runtimes = await ensureRuntimes(cacheDir, signal)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-compat-'))
  await buildEsModules(folder.path)
  const [apiKey, password] = [randomUUID(), randomUUID()]
  await using service = await startTrawlProcess(
    { folder: folder.path, credentials: { TRAWL_API_KEY: apiKey, TRAWL_PASSWORD: password } },
    signal,
  )

  const counts = { passedCount: 0, failedCount: 0 }
  for (const runtime of runtimes) {
    await using gateway = await startTrialGateway(service.url)
    const place = { origin: gateway.origin, apiKey, username: 'admin', password }
    const script = join(folder.path, 'trial.mjs')
    await writeFile(script, await bundleTrial(join(folder.path, 'index.js'), place))
    try {
      expectReport(await runScript(runtime, script, signal), gateway.forwarded)
      counts.passedCount++
      console.log(`✓ the SDK in ${runtime.name}: every method and every failure once`)
    } catch (error) {
      signal.throwIfAborted()
      counts.failedCount++
      console.log(`✗ the SDK in ${runtime.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return counts
}

async function runScript(
  { program, args }: JavascriptRuntime,
  script: string,
  signal: AbortSignal,
): Promise<TrialReport> {
  const { output } = await runCommand(
    {
      program,
      args: [...args, script],
      // Not the user's settings, such as a proxy or a TRAWL_URL.
      environment: { PATH: process.env['PATH'], HOME: tmpdir(), NO_COLOR: '1' },
      timeoutMs: trialTimeoutMs,
    },
    signal,
  )
  const line = output.split('\n').find((one) => one.startsWith(reportMark))
  if (!line) throw new Error(`it wrote no report:\n${output}`)
  return JSON.parse(line.slice(reportMark.length))
}
