import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { startPageSite } from '../support/page-site.ts'

// The other tests that open pages of the dashboard are slow; a page that cannot be drawn shows here first.
test('who signs in scrapes a page in the playground and sees its content', async (t) => {
  const site = await startPageSite(t)
  site.page('/', '<title>Fish</title><h1>Fish</h1><p>Cod and haddock</p>')
  const { page, url, find, click, type, shows, signIn, complaints } = await openDashboardScene(t)
  await page.goto(url)
  await signIn()

  await click('link', 'Playground')
  await type('textbox', 'url', site.url('/'))
  await click('button', 'Run')
  await click('tab', 'Markdown')

  await shows('# Fish')
  await find('link', 'Open the task')
  assert.deepEqual(complaints, [])
})
