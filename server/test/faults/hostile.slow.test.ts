import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostileOrigins } from './hostile/hostile-origins.ts'
import { startHostileService } from './hostile/hostile-service.ts'
import { startNeighbours } from './hostile/neighbours.ts'
import { scrapeOrigin } from './hostile/scrape-origin.ts'
import { peakMib } from './process-facts.ts'

test('hostile origins', { concurrency: true }, async (t) => {
  await using resources = new AsyncDisposableStack()
  const { service, stage } = await startHostileService(resources)
  const caller = await service.createAccount('caller')
  const neighbours = await startNeighbours(stage, await service.createAccount('neighbour'))

  const beside = t.test('good tasks beside hostile origins finish normally', async () => {
    const { finishedCount, failures } = await neighbours.run(40, 300)

    assert.deepEqual(failures, [])
    assert.equal(finishedCount, 40)
  })
  const cases = hostileOrigins
    .filter(({ isLong }) => !isLong)
    .map((origin) =>
      t.test(`${origin.name} is ${origin.verdicts.join(', then ')}`, async () => {
        const seen = await scrapeOrigin(stage, caller, origin)

        assert.equal(seen.verdict, seen.expected)
      }),
    )
  await Promise.all([beside, ...cases])
  t.diagnostic(`The service took ${Math.round(peakMib(service.pid))} MiB at most.`)
})
