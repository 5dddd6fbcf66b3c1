/** Visits that are aborted early leave nothing behind. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { killAtOnce, listBrowsers } from '../support/browser-processes.ts'
import { startBrowserScene } from '../support/browser-scene.ts'

const endings = [0, 5, 10, 20, 30, 40, 60, 80, 120, 200]

test('a visit and its browser may be aborted at any moment', async (t) => {
  const { html, site } = await startBrowserScene(t)
  site.page('/', '<p>shown</p><script src="/slow.js"></script>')
  site.page('/slow.js', (_, response) => setTimeout(() => response.end(''), 300))
  site.page('/other', '<p>other</p>')
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  const everything = {
    js_render: true,
    localStorage: { a: 'b' },
    cookies: [{ name: 'a', value: 'b' }],
    collect_data_from_requests: true,
    screenshot: { use: true },
  }
  await html('/other')

  for (const ms of endings) {
    const signal = AbortSignal.timeout(ms)
    await assert.rejects(html('/', everything, { signal }))
  }
  for (const ms of endings) {
    let isOver = false
    const visit = assert.rejects(html('/', everything)).finally(() => {
      isOver = true
    })
    await pause(ms)
    // Again and again: where the machine is busy there may be no browser yet.
    while (!isOver) {
      for (const pid of listBrowsers()) killAtOnce(pid)
      await pause(10)
    }
    await visit
  }

  assert.match(await html('/other'), /other/)
  assert.deepEqual(unhandled, [])
})
