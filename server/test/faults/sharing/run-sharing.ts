import { startPostgres } from '../../support/postgres-server.ts'
import { withBrowser } from '../../support/real-browser.ts'
import type { StoreKind } from '../../support/test-store.ts'
import { startFaultService } from '../fault-service.ts'
import { percentile } from '../fault-stores.ts'
import { type SharedThing, sharedThings } from './shared-things.ts'
import { type SharingScene, sharingEnvironment } from './sharing-scene.ts'
import { startSharingSite } from './sharing-site.ts'

/** Medians of what the other account asked for. */
export interface SharingReport {
  quietMs: number
  takenMs: number
}

interface SharingOptions {
  kind: StoreKind
  names: readonly string[]
  trials: number
  onMeasured(name: string, report: SharingReport): void
}

/** Times what another account asks for, alone and while all is taken, in turn. */
export async function runSharing({
  kind,
  names,
  trials,
  onMeasured,
}: SharingOptions): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const postgres = kind === 'postgres' ? resources.use(await startPostgres()) : undefined
  const service = await startFaultService(resources, {
    databaseUrl: postgres?.url,
    environment: { ...sharingEnvironment, ...(await withBrowser()) },
  })
  const site = resources.use(await startSharingSite())
  for (const [index, name] of names.entries()) {
    const thing = sharedThings[name]
    if (!thing) continue
    const [greedy, other] = [
      await service.createAccount(`greedy-${index}`),
      await service.createAccount(`other-${index}`),
    ]
    const scene = { serviceUrl: service.url, greedy, other, site, asksMax: 2 * (trials + 1) }
    onMeasured(name, await compare(thing, scene, trials))
  }
}

async function compare(
  thing: SharedThing,
  scene: SharingScene,
  trials: number,
): Promise<SharingReport> {
  const [quiet, taken]: [number[], number[]] = [[], []]
  await thing.prepare?.(scene)
  // The first trial is the warm-up.
  for (let trial = 0; trial <= trials; trial += 1) {
    const quietMs = await timeToAsk(thing, scene)
    const all = await thing.take(scene)
    const takenMs = await timeToAsk(thing, scene)
    await all.letGo()
    if (trial === 0) continue
    quiet.push(quietMs)
    taken.push(takenMs)
  }
  return { quietMs: percentile(quiet, 0.5), takenMs: percentile(taken, 0.5) }
}

async function timeToAsk(thing: SharedThing, scene: SharingScene): Promise<number> {
  const askedAtMs = performance.now()
  await thing.ask(scene, () => undefined)
  return performance.now() - askedAtMs
}
