import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { performance } from 'node:perf_hooks'

/** The static checks behind `npm run check`; `npm test` runs the service. */
const steps: Record<string, string[]> = {
  biome: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'],
  tsc: ['node_modules/typescript/bin/tsc', '-p', '.'],
  // Once more without Node's types, as the SDK runs in browsers too.
  'tsc sdk': ['node_modules/typescript/bin/tsc', '-p', 'sdk', '--noEmit'],
  // With the types of the DOM and of React.
  'tsc dashboard': ['node_modules/typescript/bin/tsc', '-p', 'dashboard'],
  depcruise: [
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    '--output-type',
    'err',
    'server/src',
    'cli/src',
    'sdk/src',
    'dashboard/src',
  ],
  knip: ['node_modules/knip/bin/knip.js'],
  generate: ['scripts/generate.ts', '--check'],
  tidy: ['--test', '--test-reporter=dot', 'scripts/tidy.test.ts'],
}

const waiting = Object.entries(steps)
await Promise.all(Array.from({ length: availableParallelism() }, runSteps))

async function runSteps(): Promise<void> {
  for (let step = waiting.shift(); step; step = waiting.shift()) await runStep(...step)
}

/** Shows what a step says when it has ended, so that steps do not talk across each other. */
async function runStep(name: string, args: string[]): Promise<void> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => said.push(chunk))
  }
  const [status] = await once(child, 'close')
  if (status !== 0) process.exitCode = 1
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  process.stdout.write(Buffer.concat(said))
  console.log(`${status === 0 ? '✓' : '✗'} ${name.padEnd(13)} ${seconds} s`)
}
