import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withBrowser } from '../support/real-browser.ts'
import { startTestService } from '../support/test-service.ts'
import { storeKinds } from '../support/test-store.ts'
import { sharedThings } from './sharing/shared-things.ts'
import { sharingEnvironment } from './sharing/sharing-scene.ts'
import { startSharingSite } from './sharing/sharing-site.ts'

// `npm run faults sharing` measures how long the other account waits.
for (const kind of storeKinds) {
  test(`${kind}: an account that takes all it can of something shared`, async (t) => {
    await using site = await startSharingSite()
    const service = await startTestService(t, {
      kind,
      environment: { ...sharingEnvironment, ...(await withBrowser()) },
    })
    for (const [name, thing] of Object.entries(sharedThings)) {
      if (thing.isOnlyMeasured || (kind !== 'sqlite' && !thing.isOfStore)) continue
      await t.test(`does not keep another from its request: ${name}`, async (t) => {
        const [greedy, other] = [await service.createAccount(), await service.createAccount()]
        const scene = { serviceUrl: service.url, greedy, other, site, asksMax: 1 }
        await thing.prepare?.(scene)
        const taken = await thing.take(scene)

        let servedAtFirst = taken.servedCount()
        await thing.ask(scene, () => {
          servedAtFirst = taken.servedCount()
        })
        const servedBefore = taken.servedCount() - servedAtFirst

        await taken.letGo()
        t.diagnostic(`${servedBefore} requests of the first account were served before it`)
        assert(servedBefore <= thing.servedBeforeMax, `${servedBefore} were served before it`)
      })
    }
  })
}
