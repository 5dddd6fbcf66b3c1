/** What `holdPage` runs: keeps a page open in a browser and says when it is there. */
import { startBrowserScene } from './browser-scene.ts'
import type { HeldPage } from './hold-page.ts'

const { engine, site, visit } = await startBrowserScene({ after: () => undefined })
site.page('/held', '<script src="/never"></script>')
site.page('/never', () => {
  const held: HeldPage = { pid: process.pid, sandbox: engine.sandbox() }
  process.stdout.write(`${JSON.stringify(held)}\n`)
})
await visit('/held', { js_render: true }, { timeoutMs: 120_000 })
