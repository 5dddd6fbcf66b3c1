import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtDashboard } from '../support/dashboard-files.ts'
import { createTestApp } from '../support/test-app.ts'
import { openTestPage } from '../support/test-browser.ts'

test('a sign-in link that is opened too early waits for the dashboard with its token', async (t) => {
  let isBuilt = false
  const built = builtDashboard()
  const { app } = createTestApp(t, {
    dashboard: {
      files: () => (isBuilt ? built.files() : undefined),
      isBuilding: () => !isBuilt,
      notice: () => 'The dashboard is being built.',
    },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const page = await openTestPage(t)

  await page.goto(`${url}/#sign-in=token`)
  assert.equal(await page.title(), 'Trawl')
  isBuilt = true
  await page.waitForFunction("document.title === 'Dashboard'")

  assert.equal(page.url(), `${url}/#sign-in=token`)
})
