import { Failure } from '../../../src/domain/failure.ts'
import { startBrowserScene } from '../../support/browser-scene.ts'
import type { BrowserWork, TaskEnding } from './run-browser-kills.ts'

const timeoutMs = 30_000

/** Tasks done by the engine of this process, each with a page of its own that takes a moment. */
export async function startEngineWork({ atOnce }: { atOnce: number }): Promise<BrowserWork> {
  await using started = new AsyncDisposableStack()
  const scene = await startBrowserScene({
    after: (end) => started.defer(async () => void (await (end as () => unknown)())),
  })
  const { site, html } = scene
  site.page('/page', '<p id=p>empty</p><script src="/number.js"></script>')
  site.page('/number.js', ({ headers: { referer = '' } }, response) => {
    const [, task] = /task=(\d+)/.exec(referer) ?? []
    setTimeout(() => response.end(`p.textContent = "task ${task}"`), Number(task) % 200)
  })
  const resources = started.move()
  return {
    owner: process.pid,
    atOnce,
    async run(task): Promise<TaskEnding> {
      try {
        const shown = await html(`/page?task=${task}`, { js_render: true }, { timeoutMs })
        return shown.includes(`>task ${task}<`) ? 'page' : 'wrong page'
      } catch (error) {
        return error instanceof Failure ? error.code : String(error)
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
