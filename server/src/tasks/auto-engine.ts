import type { Handover } from '../domain/scrape/engine-reason.ts'
import type { Page } from '../domain/scrape/page.ts'
import { isJudged } from '../domain/task/handover.ts'
import type { Task, TaskProgress } from '../domain/task/task.ts'
import type { BrowserAccess } from './browser-access.ts'
import { ScriptedHosts } from './scripted-hosts.ts'

export type AutoEngine = ReturnType<typeof createAutoEngine>

/** Decides whether a task continues with the other engine, above all for `render_js: "auto"`. */
export function createAutoEngine({
  browserAccess,
}: {
  browserAccess: Pick<BrowserAccess, 'hasBrowser'>
}) {
  const hosts = new ScriptedHosts()
  return {
    /** Whether the browser is used at once, since pages of the host needed it before. */
    async skipsHttp(task: Task & TaskProgress): Promise<boolean> {
      if (!isJudged(task) || !hosts.find(task.accountId, task.request.url)) return false
      return browserAccess.hasBrowser()
    },

    /** Whether the other engine takes over. A host that needs a browser is remembered in any case. */
    async accepts({ accountId }: Task, { reason }: Handover, page?: Page): Promise<boolean> {
      if (reason === 'file') return true
      // An error page says little about the others, unless it is a challenge to every visitor.
      const isTypical = page && (page.statusCode < 400 || reason === 'script_challenge')
      if (isTypical) hosts.remember(accountId, page.url, reason)
      return browserAccess.hasBrowser()
    },
  }
}
