import { readFileSync } from 'node:fs'
import type { HTTPRequest, Page } from 'puppeteer-core'
import type { DashboardScene } from '../support/dashboard-scene.ts'
import { until } from '../support/until.ts'
import type { TrapOrigin } from './trap-origin.ts'

export interface HarmWatch {
  /** How many of these pages run or load something when they are opened without a sandbox. */
  countRunsWithoutProtection(addresses: readonly string[]): Promise<number>
  /** Opens a page of the dashboard, and waits for an element of its content. */
  open(address: string, content: string): Promise<void>
  /** Opens every tab, detail and table of a page. Says whether a vector was to be read. */
  openEverything(): Promise<boolean>
  /** What a stranger's text has done to the page since the last call. */
  find(): Promise<string[]>
  /** Shows previews as the page of a task does; returns how many. */
  showPreviews(addresses: readonly string[]): Promise<number>
  /** The requests that went to somebody else. */
  foreign(): string[]
  /** What browsers said about frames: what was kept from running there, by how often. */
  stopped(): Record<string, number>
}

const inPage = readFileSync(new URL('find-foreign-elements.js', import.meta.url), 'utf8')

/**
 * What a browser says where a sandbox or its policy has held. A violation in our own document would be such a
 * message as well, so those are noticed by their events.
 */
const stoppedInFrame =
  /sandbox|Content Security Policy directive|policy has been ignored|Unsafe attempt to load URL|fenced frame|Refused to refresh/

/** In frames without a sandbox, on the site of the pages themselves. */
const countRuns = `async (addresses) => {
  const frames = addresses.map((address) => {
    const frame = document.createElement('iframe')
    frame.src = address
    document.body.append(frame)
    return { frame, loaded: new Promise((resolve) => frame.addEventListener('load', resolve)) }
  })
  await Promise.all(frames.map(({ loaded }) => loaded))
  const hasRun = ({ frame }) => {
    try {
      return frame.contentWindow.__ran === 1
    } catch {
      return true
    }
  }
  return frames.filter(hasRun).length
}`

/** Notices whatever a script could do in the page of the scene. */
export async function watchForHarm(
  { page, url, complaints }: DashboardScene,
  trap: TrapOrigin,
): Promise<HarmWatch> {
  const seen: string[] = []
  const stopped: Record<string, number> = {}
  const requests: HTTPRequest[] = []
  await page.evaluateOnNewDocument(inPage)
  const running = new Set<HTTPRequest>()
  page.on('request', (request) => {
    requests.push(request)
    const { pathname } = new URL(request.url())
    const isRead = pathname.startsWith('/v1/') && pathname !== '/v1/events'
    if (request.frame() === page.mainFrame() && isRead) running.add(request)
  })
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end, (request) => running.delete(request))
  }
  /** Requests of frames that are gone never end for puppeteer, so its own idleness never comes. */
  const untilIdle = async () => {
    await until(() => running.size === 0)
    await page.evaluate('afterPaint()')
    await until(() => running.size === 0)
  }
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('popup', (popup) => seen.push(`popup: ${popup?.url()}`))
  page.on('framenavigated', (frame) => {
    const isOurs = frame.url().startsWith(`${url}/`) || /^(about|chrome-error):/.test(frame.url())
    if (!isOurs) seen.push(`navigated: ${frame.url()}`)
  })
  const openEverything = async () => {
    await untilIdle()
    // What is opened may have more to open.
    while (Number(await page.evaluate('openWhatIsClosed()')) > 0) await untilIdle()
    return Boolean(await page.evaluate('globalThis.wasShown'))
  }
  return {
    openEverything,
    async open(address, content) {
      running.clear()
      // Another fragment alone would open nothing.
      await page.goto('about:blank')
      await page.goto(address)
      await page.waitForSelector(content)
    },
    async countRunsWithoutProtection(addresses) {
      const control = await page.browser().newPage()
      await control.goto(new URL('/', addresses[0]).href)
      const ran = Number(await control.evaluate(`(${countRuns})(${JSON.stringify(addresses)})`))
      await control.close()
      // What only loads something is known by its path; scripts and navigation were counted in the page.
      const loaded = new Set(trap.asked.filter((path) => !/^\/(script|refresh|frame)$/.test(path)))
      return ran + loaded.size
    },
    async find() {
      const inDocument = (await page.evaluate('findForeign()')) as string[]
      for (const text of complaints.splice(0)) {
        const [kind] = stoppedInFrame.exec(text) ?? []
        if (kind === undefined) seen.push(text)
        else stopped[kind] = (stopped[kind] ?? 0) + 1
      }
      if (trap.connections() > 0) seen.push(`the trap was asked: ${trap.asked.join()}`)
      return [...inDocument, ...seen.splice(0)]
    },
    async showPreviews(addresses) {
      return Number(await page.evaluate(`showPreviews(${JSON.stringify(addresses)})`))
    },
    foreign: () =>
      requests
        .filter((request) => !isStopped(request, page) && !isOwn(request.url(), url))
        .map((request) => request.url()),
    stopped: () => stopped,
  }
}

const isOwn = (address: string, origin: string): boolean =>
  /^(data|about|blob):/.test(address) || address.startsWith(`${origin}/`)

/** By the policy of a preview. In our own document there must be nothing to stop. */
const isStopped = (request: HTTPRequest, page: Page): boolean =>
  request.frame() !== page.mainFrame() && request.response() === null
