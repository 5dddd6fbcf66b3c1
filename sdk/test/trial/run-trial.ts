/**
 * What the SDK has to do in every runtime: each method once, each class of failure once. It uses what all
 * runtimes have, so that Node, Deno, Bun and a page of a browser run the same.
 */
import type * as TrawlSdk from '../../src/index.ts'
import { everyFailure } from './every-failure.ts'
import { everyMethod } from './every-method.ts'

export type Sdk = typeof TrawlSdk

/** Where the trial runs; `origin` is that of a gateway in front of a service. */
export interface TrialPlace {
  origin: string
  apiKey: string
  username: string
  password: string
}

/** What the steps of a trial share. */
export interface TrialScene extends TrialPlace {
  sdk: Sdk
  trawl: TrawlSdk.Trawl
  /** The URL of a page to scrape. */
  site(path: string): string
}

export type TrialStep = (scene: TrialScene) => Promise<void>

export interface TrialReport {
  passed: string[]
  failed: { name: string; message: string }[]
}

export async function runTrial(sdk: Sdk, place: TrialPlace): Promise<TrialReport> {
  const { origin, apiKey, username, password } = place
  const trawl = new sdk.Trawl({ baseUrl: origin, apiKey, username, password })
  const scene: TrialScene = { ...place, sdk, trawl, site: (path) => `${origin}/site/${path}` }
  const report: TrialReport = { passed: [], failed: [] }
  const run = async (name: string, step: TrialStep) => {
    try {
      await step(scene)
      report.passed.push(name)
    } catch (error) {
      report.failed.push({ name, message: error instanceof Error ? `${error.stack}` : `${error}` })
    }
  }
  for (const [name, step] of Object.entries(everyMethod)) await run(name, step)
  await Promise.all(Object.entries(everyFailure).map(([name, step]) => run(name, step)))
  return report
}
