import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { cpuMsOf } from './cpu-time.ts'
import { findEarlierTrawl } from './installed-peers.ts'
import { makeFolder, trawlEnvironment } from './program.ts'
import { type Burst, compareSides, type Side, type SidesRow } from './sides.ts'

const rounds = 7

/** The second start until ready, by the launcher: what Node and Trawl keep of the first one is there. */
export async function measureStarts(): Promise<SidesRow[]> {
  await using resources = new AsyncDisposableStack()
  const root = resolve(import.meta.dirname, '../..')
  const earlier = findEarlierTrawl()
  const programs = [
    ...(earlier ? [{ name: earlier.commit, tree: resolve(earlier.cli, '../../..') }] : []),
    { name: 'now', tree: root },
  ]
  const sides: Side[] = []
  for (const { name, tree } of programs) {
    const dataDir = await makeFolder(resources)
    await start(tree, dataDir)
    sides.push({ name, burst: () => start(tree, dataDir) })
  }
  const [first, ...others] = sides
  if (!first) return []
  const names = { measure: 'starts until ready, the second and later', wanted: '≥ 1.67' }
  return [await compareSides(names, [first, ...others], rounds)]
}

/** Starts the service, stops it once it is ready, and says how often it could have started in a second. */
async function start(tree: string, dataDir: string): Promise<Required<Burst>> {
  const startedAtMs = performance.now()
  const child = spawn(process.execPath, ['scripts/launch.mjs', 'server/src/cli.ts', 'serve'], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], ...trawlEnvironment(dataDir) },
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stderr })) {
    if (/http:\/\/127\.0\.0\.1:\d+/.test(line)) break
  }
  const tookMs = performance.now() - startedAtMs
  const cpuMs = cpuMsOf(child.pid ?? 0)
  child.kill('SIGTERM')
  child.stderr.resume()
  await ended
  return { perSecond: 1_000 / tookMs, total: 1, cpuMs }
}
