/** The script of the other process: it keeps a page loading and reports when the browser has it. */
import { startBrowserScene } from './browser-scene.ts'
import type { OtherProcessPage } from './open-page-in-other-process.ts'

const { engine, site, visit } = await startBrowserScene({ after: () => undefined })
site.page('/held', '<script src="/never"></script>')
site.page('/never', () => {
  const held: OtherProcessPage = { pid: process.pid, sandbox: engine.sandbox() }
  process.stdout.write(`${JSON.stringify(held)}\n`)
})
await visit('/held', { js_render: true }, { timeoutMs: 120_000 })
