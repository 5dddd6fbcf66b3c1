import type { TestContext } from 'node:test'
import { JobDriver } from '../../src/jobs/job-driver.ts'
import { startQueue } from '../../src/queue/queue.ts'
import { silentEvents } from './silent-events.ts'
import type { TestService } from './test-service.ts'
import { silentLog } from './test-store.ts'

type DriverParts = ConstructorParameters<typeof JobDriver>[0]

/** For a service that takes no crawl further itself: the test does. */
export const withoutWorker = { TRAWL_ROLES: 'api,delivery' }

/** Drives the jobs of such a service, with steps that the test makes. */
export async function startOwnDriver(
  t: TestContext,
  service: TestService,
  steps: Pick<DriverParts, 'advance' | 'sweepIntervalMs'>,
): Promise<JobDriver> {
  const { db, sealer } = await service.openBeside()
  const queue = startQueue({
    db,
    log: silentLog,
    leaseMs: 60_000,
    graceMs: 0,
    onFenced: () => undefined,
    onReclaimed: () => undefined,
  })
  const driver = new JobDriver({
    db,
    sealer,
    log: silentLog,
    deliveries: queue.producerFor('delivery'),
    events: silentEvents,
    ...steps,
  })
  t.after(async () => {
    await driver[Symbol.asyncDispose]()
    await queue[Symbol.asyncDispose]()
  })
  return driver
}
