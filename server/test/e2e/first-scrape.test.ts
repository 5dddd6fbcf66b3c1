import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { withBrowser } from '../support/real-browser.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startTestSite } from '../support/test-site.ts'
import { until } from '../support/until.ts'

const settings = {
  TRAWL_BROWSER_INSTALL: 'never',
  TRAWL_PORT: '0',
  // The target and the receiver of this test are on loopback.
  TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
}

test('a new user scrapes a page and receives a callback with a valid signature', async (t) => {
  const cwd = await scratchFolder(t)
  const site = await startTestSite(t)
  const environment = { ...settings, ...(await withBrowser()) }
  const service = runTrawl(t, ['serve'], { cwd, environment })
  const [, url = ''] = await service.whenSaid(/API +(http:\S+)/)

  const scrape = runTrawl(t, ['scrape', site.url('/'), '--server', url], { cwd })
  assert.equal(await scrape.whenEnded, 0, scrape.stderr())
  assert.match(scrape.stdout(), /<title>Test site/)

  const asJson = runTrawl(t, ['scrape', site.url('/'), '--json', '--server', url], { cwd })
  assert.equal(await asJson.whenEnded, 0, asJson.stderr())
  const result = JSON.parse(asJson.stdout())
  assert.equal(result.statusCode, 200)
  assert.equal(result.engine, 'http')

  const shown = runTrawl(t, ['scrape', site.url('/'), '--render', '--server', url], { cwd })
  assert.equal(await shown.whenEnded, 0, shown.stderr())
  assert.match(shown.stdout(), /<title>Test site/)
  assert.match(shown.stderr(), /200 by the engine browser/)

  const listener = runTrawl(t, ['listen', '--port', '0', '--json'], { cwd })
  const [, receiverUrl = ''] = await listener.whenSaid(/Listening on (http:\S+);/)
  const credentials = JSON.parse(await readFile(join(cwd, 'data', 'credentials.json'), 'utf8'))
  const accepted = await fetch(`${url}/api/scraper/scrape/callback`, {
    method: 'POST',
    headers: { 'x-api-key': credentials.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ url: site.url('/'), callbackUrl: receiverUrl }),
  })
  assert.equal(accepted.status, 202)
  await until(() => listener.stdout().includes('\n'))
  const [line = ''] = listener.stdout().split('\n')
  const { requestId } = (await accepted.json()) as { requestId: string }
  assert.ok(line.includes(requestId), line)
  assert.equal(JSON.parse(line).signature.standard, 'right')
})
