import type { Protocol } from 'devtools-protocol'
import { withDeadline } from '../../../runtime/deadline.ts'
import { CdpGone, type CdpSession, type Heard } from '../cdp/cdp-connection.ts'
import type { BrowserProcess } from './browser-process.ts'
import { proxyHost } from './launch-arguments.ts'

/** A page that has just come into being and waits to be let go. */
export interface NewPage {
  session: CdpSession
  targetId: string
}

/** What one task has of the browser: cookies, storage, cache and connections of its own. */
export interface BrowserContext {
  readonly id: string
  /** The page is handed over before its first request; whatever it opens beside itself is closed. */
  openPage(url: string, window: { width: number; height: number }): Promise<NewPage>
  /** Hands over each worker of the page before its first line. */
  onWorker(listener: (worker: CdpSession) => void): void
  /** Without those that no browser would keep. */
  setCookies(cookies: readonly Protocol.Network.CookieParam[]): Promise<void>
  listCookies(): Promise<Protocol.Network.Cookie[]>
  dispose(): Promise<void>
}

interface OpenContext {
  page: PromiseWithResolvers<NewPage>
  isPageThere: boolean
  sessions: Map<string, CdpSession>
  heard: Heard
  onWorker: (worker: CdpSession) => void
}

const attachingToAll = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }

/** A browser that answers, and whose targets are told to the contexts they belong to. */
export class RunningBrowser {
  readonly process: BrowserProcess
  readonly #root: CdpSession
  readonly #contexts = new Map<string, OpenContext>()

  static async over(process: BrowserProcess): Promise<RunningBrowser> {
    const browser = new RunningBrowser(process)
    try {
      await browser.#root.send('Target.setAutoAttach', attachingToAll)
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
    const { browserContextId: id } = await root.send('Target.createBrowserContext', {
      proxyServer: `http://${proxyHost}:${proxyPort}`,
      proxyBypassList: '<-loopback>',
    })
    const open: OpenContext = {
      page: Promise.withResolvers(),
      isPageThere: false,
      sessions: new Map(),
      heard: { events: 0, characters: 0 },
      onWorker: () => undefined,
    }
    this.#contexts.set(id, open)
    root.post('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: id })
    return {
      id,
      async openPage(url, { width, height }) {
        const created = root.send('Target.createTarget', {
          url,
          browserContextId: id,
          newWindow: true,
          width,
          height,
        })
        created.catch((error: unknown) => open.page.reject(error))
        return open.page.promise
      },
      onWorker(listener) {
        open.onWorker = listener
      },
      async setCookies(cookies) {
        // One by one: of several, one that is refused would take the others with it.
        const setting = cookies.map((cookie) =>
          root
            .send('Storage.setCookies', { cookies: [cookie], browserContextId: id })
            .catch((error: unknown) => {
              if (error instanceof CdpGone) throw error
            }),
        )
        await Promise.all(setting)
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
    if (open && isPage && !open.isPageThere) {
      open.isPageThere = true
      open.page.resolve({ session: this.#attend(open, sessionId), targetId })
    } else if (isPage || type === 'service_worker') {
      // Neither popups nor what outlives its page.
      this.#root.post('Target.closeTarget', { targetId })
    } else if (open) {
      const session = this.#attend(open, sessionId)
      if (type === 'worker' || type === 'shared_worker') open.onWorker(session)
      session.post('Runtime.runIfWaitingForDebugger')
    }
  }

  /** Workers are told of by the page or the worker that started them, shared ones by the browser. */
  #attend(open: OpenContext, sessionId: string): CdpSession {
    const session = this.process.connection.session(sessionId, open.heard)
    open.sessions.set(sessionId, session)
    session.on('Target.attachedToTarget', (event) => this.#onAttached(event, open))
    session.on('Target.detachedFromTarget', (worker) => {
      open.sessions.get(worker.sessionId)?.end()
      open.sessions.delete(worker.sessionId)
    })
    session.post('Target.setAutoAttach', attachingToAll)
    return session
  }
}

const probedPage = 'data:text/html,<body><script>document.body.innerHTML=6*7</script>'

/** Opens a page and looks at what its script did. */
export async function probe(browser: RunningBrowser, signal: AbortSignal): Promise<void> {
  // The port leads nowhere: this page has nothing to ask for.
  const opening = browser.openContext({ proxyPort: 1 })
  try {
    await withDeadline(opening.then(untilShown), { ms: Number.POSITIVE_INFINITY, signal })
  } finally {
    // Beside the answer: one that hangs would never do it.
    opening.then((context) => context.dispose()).catch(() => undefined)
  }
}

async function untilShown(context: BrowserContext): Promise<void> {
  const { session } = await context.openPage(probedPage, { width: 800, height: 600 })
  const { promise: loaded, resolve } = Promise.withResolvers<void>()
  session.on('Page.loadEventFired', () => resolve())
  session.post('Page.enable')
  session.post('Runtime.runIfWaitingForDebugger')
  await loaded
  const { result } = await session.send('Runtime.evaluate', {
    expression: 'document.body.innerText',
  })
  if (result.value !== '42') throw new Error('the page was not shown as it should be')
}
