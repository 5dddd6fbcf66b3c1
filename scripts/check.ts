import { spawnSync } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** The static checks behind `npm run check`; `npm test` runs the service. */
const steps: Record<string, string[]> = {
  biome: ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'],
  tsc: ['node_modules/typescript/bin/tsc', '-p', '.'],
  // Once more without Node's types, as the SDK runs in browsers too.
  'tsc sdk': ['node_modules/typescript/bin/tsc', '-p', 'sdk', '--noEmit'],
  depcruise: [
    'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    '--output-type',
    'err',
    'server/src',
    'sdk/src',
  ],
  knip: ['node_modules/knip/bin/knip.js'],
  generate: ['scripts/generate.ts', '--check'],
  tidy: ['--test', '--test-reporter=dot', 'scripts/tidy.test.ts'],
}

let failedCount = 0
for (const [name, args] of Object.entries(steps)) {
  const startedMs = performance.now()
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) failedCount++
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  console.log(`${status === 0 ? '✓' : '✗'} ${name.padEnd(10)} ${seconds} s`)
}
process.exitCode = failedCount === 0 ? 0 : 1
