import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { TrialPlace } from '../trial/run-trial.ts'

/** What a bundled trial writes before its report, on a line of its own. */
export const reportMark = 'TRIAL REPORT '

/** The trial and a built package as one script, which runs where there is no TypeScript. */
export async function bundleTrial(packageEntry: string, place: TrialPlace): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import * as sdk from ${JSON.stringify(packageEntry)}
        import { runTrial } from '../trial/run-trial.ts'
        const report = JSON.stringify(await runTrial(sdk, ${JSON.stringify(place)}))
        globalThis.trialReport = report
        console.log(${JSON.stringify(reportMark)} + report)
      `,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    bundle: true,
    write: false,
    format: 'esm',
    // The oldest of the runtimes.
    target: 'node20',
  })
  return outputFiles[0]?.text ?? ''
}
