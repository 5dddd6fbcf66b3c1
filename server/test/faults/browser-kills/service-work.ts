import { startPageSite } from '../../support/page-site.ts'
import { withBrowser } from '../../support/real-browser.ts'
import { callbackPath } from '../../support/scrape-calls.ts'
import { startTestReceiver } from '../../support/test-receiver.ts'
import { until } from '../../support/until.ts'
import { startFaultService } from '../fault-service.ts'
import { cleanupScopeOf } from '../hostile/start-peers.ts'
import type { BrowserWork, TaskEnding } from './run-browser-kills.ts'

const toldWithinMs = 60_000
const endsWithinMs = 30_000

/** Tasks of a whole service, each with its own slow page; their callbacks report the endings. */
export async function startServiceWork({ atOnce }: { atOnce: number }): Promise<BrowserWork> {
  await using started = new AsyncDisposableStack()
  const ending = cleanupScopeOf(started)
  const site = await startPageSite(ending)
  site.page('/page', '<p id=p>empty</p><script src="/number.js"></script>')
  site.page('/number.js', ({ headers: { referer = '' } }, response) => {
    const [, task] = /task=(\d+)/.exec(referer) ?? []
    setTimeout(() => response.end(`p.textContent = "task ${task}"`), Number(task) % 200)
  })
  const receiver = await startTestReceiver(ending)
  const service = await startFaultService(started, { environment: await withBrowser() })
  const account = await service.createAccount('browser-kills')
  const endings = new Map<string, PromiseWithResolvers<TaskEnding>>()
  /** Created by the response to the caller or by the callback, whichever comes first. */
  const endingOf = (requestId: string) => {
    const known = endings.get(requestId) ?? Promise.withResolvers<TaskEnding>()
    endings.set(requestId, known)
    return known
  }
  receiver.behave(({ json: { requestId, result, error } }, response) => {
    response.end()
    const [, number] = /<p id="p">task (\d+)</.exec(result?.html ?? '') ?? []
    endingOf(requestId).resolve(error?.code ?? (number ? `page ${number}` : 'no page'))
  })
  const resources = started.move()

  return {
    owner: service.pid,
    atOnce,
    repeats: () => receiver.received.length - endings.size,
    async run(task) {
      const answer = await account.call(`POST ${callbackPath}`, {
        url: site.url(`/page?task=${task}`),
        callbackUrl: receiver.url,
        configurations: { js_render: true },
      })
      if (answer.statusCode !== 202) return `not accepted: ${answer.text}`
      const { promise, resolve } = endingOf(answer.json().requestId)
      const timer = setTimeout(() => resolve('lost'), toldWithinMs)
      const ending = await promise
      clearTimeout(timer)
      return ending === `page ${task}` ? 'page' : ending
    },
    async [Symbol.asyncDispose]() {
      // SIGTERM leaves it time to clean up.
      if (isRunning(service.pid)) process.kill(service.pid, 'SIGTERM')
      await until(() => !isRunning(service.pid), { withinMs: endsWithinMs })
      await resources.disposeAsync()
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
