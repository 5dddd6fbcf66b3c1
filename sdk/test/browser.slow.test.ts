import { join } from 'node:path'
import { test } from 'node:test'
import { buildEsModules } from '../../scripts/pack-sdk/build-package.ts'
import { reachingLoopback } from '../../server/test/support/scrape-calls.ts'
import { scratchFolder } from '../../server/test/support/scratch-folder.ts'
import { openTestPage } from '../../server/test/support/test-browser.ts'
import { startTestService } from '../../server/test/support/test-service.ts'
import { bundleTrial } from './support/bundle-trial.ts'
import { expectReport } from './support/expect-report.ts'
import { startTrialGateway } from './support/trial-gateway.ts'

test('every method and every failure once, in a page of Chromium', async (t) => {
  const folder = await scratchFolder(t)
  await buildEsModules(folder)
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  await using gateway = await startTrialGateway(service.url)
  const { origin } = gateway
  gateway.serveScript(await bundleTrial(join(folder, 'index.js'), { ...account, origin }))
  const page = await openTestPage(t)

  await page.goto(`${origin}/trial/`)
  const report = await page.waitForFunction('globalThis.trialReport', { timeout: 120_000 })

  expectReport(JSON.parse(String(await report.jsonValue())), gateway.forwarded)
})
