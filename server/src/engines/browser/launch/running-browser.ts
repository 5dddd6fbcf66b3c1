import type { Protocol } from 'devtools-protocol'
import type { BrowserFlavor } from '../../install/browser-candidates.ts'
import { CdpClosed, type CdpSession, type EventTotals } from '../cdp/cdp-connection.ts'
import type { BrowserProcess } from './browser-process.ts'
import { proxyHost } from './launch-arguments.ts'

/** A new page, paused before its first request. */
export interface NewPage {
  session: CdpSession
  targetId: string
  /** Opens the URL, after all commands that were sent before; rejects if the browser refuses it. */
  start(): Promise<void>
}

/** The isolated part of the browser for one task, with its own cookies, storage and connections. */
export interface BrowserContext {
  readonly id: string
  readonly flavor: BrowserFlavor
  /** Popups of the page are closed. Without `hasScripts` they are off before the page is parsed. */
  openPage(
    url: string,
    window: { width: number; height: number; hasScripts: boolean },
  ): Promise<NewPage>
  /** Calls back with each worker of the page, paused before its first line. */
  onWorker(listener: (worker: CdpSession) => void): void
  /** Skips cookies that the browser rejects. */
  setCookies(cookies: readonly Protocol.Network.CookieParam[]): Promise<void>
  listCookies(): Promise<Protocol.Network.Cookie[]>
  dispose(): Promise<void>
}

interface OpenContext {
  page: PromiseWithResolvers<Omit<NewPage, 'start'>>
  hasPage: boolean
  sessions: Map<string, CdpSession>
  eventTotals: EventTotals
  onWorker: (worker: CdpSession) => void
}

/**
 * Whether a new page waits for the debugger before it requests its URL. A full browser has sent the
 * request by then, without our headers, and would not report the challenge of the egress proxy. An
 * empty page that navigates later works everywhere, but takes a fifth more CPU time.
 */
const isPausedBeforeRequests: Record<BrowserFlavor, boolean> = { shell: true, chrome: false }

const attachPaused = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }

/** A connected browser. It passes each new target (page or worker) to the context it belongs to. */
export class RunningBrowser {
  readonly process: BrowserProcess
  readonly #root: CdpSession
  readonly #contexts = new Map<string, OpenContext>()

  static async connect(process: BrowserProcess): Promise<RunningBrowser> {
    const browser = new RunningBrowser(process)
    try {
      await browser.#root.send('Target.setAutoAttach', attachPaused)
      return browser
    } catch (error) {
      await process[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(process: BrowserProcess) {
    this.process = process
    this.#root = process.connection.session()
    this.#root.on('Target.attachedToTarget', (event) => this.#onAttached(event))
  }

  async openContext({ proxyPort }: { proxyPort: number }): Promise<BrowserContext> {
    const root = this.#root
    const { flavor } = this.process
    const { browserContextId: id } = await root.send('Target.createBrowserContext', {
      proxyServer: `http://${proxyHost}:${proxyPort}`,
      proxyBypassList: '<-loopback>',
    })
    const open: OpenContext = {
      page: Promise.withResolvers(),
      hasPage: false,
      sessions: new Map(),
      eventTotals: { events: 0, characters: 0 },
      onWorker: () => undefined,
    }
    this.#contexts.set(id, open)
    root.post('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: id })
    return {
      id,
      flavor,
      async openPage(url, { width, height, hasScripts }) {
        // A paused page may begin to parse before its process has carried out what it was told.
        const isPaused = isPausedBeforeRequests[flavor] && hasScripts
        const created = root.send('Target.createTarget', {
          url: isPaused ? url : 'about:blank',
          browserContextId: id,
          newWindow: true,
          width,
          height,
        })
        created.catch((error: unknown) => open.page.reject(error))
        const { session, targetId } = await open.page.promise
        const start = async () => {
          // The page answers in order, so after this it has carried out all earlier commands: a
          // navigation may move to another process, which knows only those.
          await session.send('Runtime.runIfWaitingForDebugger')
          if (!isPaused) await session.send('Page.navigate', { url })
        }
        return { session, targetId, start }
      },
      onWorker(listener) {
        open.onWorker = listener
      },
      async setCookies(cookies) {
        // One command each: Chromium rejects all cookies of a command if one is invalid.
        const commands = cookies.map((cookie) =>
          root
            .send('Storage.setCookies', { cookies: [cookie], browserContextId: id })
            .catch((error: unknown) => {
              if (error instanceof CdpClosed) throw error
            }),
        )
        await Promise.all(commands)
      },
      async listCookies() {
        const { cookies } = await root.send('Storage.getCookies', { browserContextId: id })
        return cookies
      },
      dispose: async () => {
        this.#contexts.delete(id)
        for (const session of open.sessions.values()) session.end()
        await root.send('Target.disposeBrowserContext', { browserContextId: id })
      },
    }
  }

  #onAttached(
    { sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent,
    open = this.#contexts.get(targetInfo.browserContextId ?? ''),
  ): void {
    const { targetId, type } = targetInfo
    const isPage = type === 'page'
    if (open && isPage && !open.hasPage) {
      open.hasPage = true
      open.page.resolve({ session: this.#attach(open, sessionId), targetId })
    } else if (isPage || type === 'service_worker') {
      // Popups and service workers, which would outlive their page, are not allowed.
      this.#root.post('Target.closeTarget', { targetId })
    } else if (open) {
      const session = this.#attach(open, sessionId)
      if (type === 'worker' || type === 'shared_worker') open.onWorker(session)
      session.post('Runtime.runIfWaitingForDebugger')
    }
  }

  /** Workers are reported by the page or worker that starts them, shared ones by the browser. */
  #attach(open: OpenContext, sessionId: string): CdpSession {
    const session = this.process.connection.session(sessionId, open.eventTotals)
    open.sessions.set(sessionId, session)
    session.on('Target.attachedToTarget', (event) => this.#onAttached(event, open))
    session.on('Target.detachedFromTarget', (worker) => {
      open.sessions.get(worker.sessionId)?.end()
      open.sessions.delete(worker.sessionId)
    })
    session.post('Target.setAutoAttach', attachPaused)
    return session
  }
}
