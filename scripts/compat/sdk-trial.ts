import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleTrial, reportMark } from '../../sdk/test/support/bundle-trial.ts'
import { expectReport } from '../../sdk/test/support/expect-report.ts'
import { startTrialGateway } from '../../sdk/test/support/trial-gateway.ts'
import type { TrialReport } from '../../sdk/test/trial/run-trial.ts'
import { buildEsModules } from '../pack-sdk/build-package.ts'
import { runCommand } from './command.ts'
import { installPackages } from './install-packages.ts'
import { runChecks } from './run-checks.ts'
import { startTrawlProcess } from './trawl-process.ts'

const trialTimeoutMs = 120_000

/** Runs the trial of the SDK, as it is published, in each runtime that is not ours. */
export async function trySdk(cacheDir: string, signal: AbortSignal) {
  const runtimes = await ensureRuntimes(cacheDir, signal)
  await using service = await startTrawlProcess(signal)
  const { TRAWL_API_KEY: apiKey, TRAWL_PASSWORD: password } = service.credentials
  await buildEsModules(service.folder)
  return await runChecks(runtimes, signal, {
    sentence: ({ name }) => `the SDK in ${name}: every method and every failure once`,
    async check(runtime) {
      await using gateway = await startTrialGateway(service.url)
      const place = { origin: gateway.origin, username: 'admin', apiKey, password }
      const script = join(service.folder, 'trial.mjs')
      await writeFile(script, await bundleTrial(join(service.folder, 'index.js'), place))
      expectReport(await runScript(runtime, script, signal), gateway.forwarded)
    },
  })
}

async function runScript(
  { program, args }: JavascriptRuntime,
  script: string,
  signal: AbortSignal,
): Promise<TrialReport> {
  const { output } = await runCommand({
    program,
    args: [...args, script],
    // Not the user's settings, such as a proxy or a TRAWL_URL.
    environment: { PATH: process.env['PATH'], HOME: tmpdir(), NO_COLOR: '1' },
    timeoutMs: trialTimeoutMs,
    signal,
  })
  const line = output.split('\n').find((one) => one.startsWith(reportMark))
  if (!line) throw new Error(`it wrote no report:\n${output}`)
  return JSON.parse(line.slice(reportMark.length))
}

/** A program that runs JavaScript: `program …args script.mjs`. */
interface JavascriptRuntime {
  name: string
  program: string
  args: string[]
}

const { arch } = process
const bunPackage = `@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}`

/** The oldest Node that the SDK supports, Deno and Bun; from the registry, without install scripts. */
const runtimes = [
  {
    name: 'Node 20',
    wanted: `node-linux-${arch}@20.20.2`,
    path: `node-linux-${arch}/bin/node`,
    args: [],
  },
  {
    name: 'Deno',
    wanted: `@deno/linux-${arch}-glibc@2.9.6`,
    path: `@deno/linux-${arch}-glibc/deno`,
    args: ['run', '--quiet', '--no-config', '--allow-net'],
  },
  {
    name: 'Bun',
    wanted: `${bunPackage}@1.4.4`,
    path: `${bunPackage}/bin/bun`,
    args: ['run'],
  },
]

/** Installs the runtimes into the cache, unless they are there. */
async function ensureRuntimes(cacheDir: string, signal: AbortSignal): Promise<JavascriptRuntime[]> {
  const packages = runtimes.map(({ wanted }) => wanted)
  const folder = await installPackages({ name: 'runtimes', packages, cacheDir }, signal)
  return runtimes.map(({ name, path, args }) => ({ name, program: join(folder, path), args }))
}
