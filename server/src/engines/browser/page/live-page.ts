import { Failure } from '../../../domain/failure.ts'
import { forwardable } from '../../../domain/forwarded-headers.ts'
import type { UrlUser } from '../../request/url-user.ts'
import type { CdpSession, SessionEnd } from '../cdp/cdp-connection.ts'
import { IsolatedWorld } from '../cdp/isolated-world.ts'
import type { BrowserContext, NewPage } from '../launch/running-browser.ts'
import { CollectedResponses } from './collected-responses.ts'
import { emulateDevice, emulateDeviceInWorker } from './emulate-device.ts'
import { hardeningScript, storageScript } from './init-scripts.ts'
import { loadingRules } from './loading-rules.ts'
import { MainDocumentTracker } from './main-document-tracker.ts'
import type { PageEgress } from './page-egress.ts'
import { receivedBytesMax } from './read-page.ts'
import { RequestInterceptor } from './request-interceptor.ts'
import { RequestLog } from './request-log.ts'
import { metricsOf, type Screen } from './screens.ts'
import type { VisitDeadline } from './visit-deadline.ts'
import type { BrowserOrder } from './visit-order.ts'

/** A page under way, and those who follow what it does. */
export interface LivePage {
  session: CdpSession
  frameId: string
  screen: Screen
  end: VisitDeadline
  watch: MainDocumentTracker
  log: RequestLog
  /** Where the caller wants them. */
  answers: CollectedResponses | undefined
  world: IsolatedWorld
}

interface LivePageParts {
  context: BrowserContext
  end: VisitDeadline
  screen: Screen
  user: UrlUser | undefined
  wayOut: PageEgress
}

/**
 * Prepares a page that waits, and lets it go. Nothing is awaited: a page that waits answers nothing,
 * and the browser does in this order what was sent in this order.
 */
export function startPage(
  { session, targetId }: NewPage,
  order: BrowserOrder,
  { context, end, screen, user, wayOut }: LivePageParts,
): LivePage {
  const { options } = order
  const { origin } = new URL(order.url)
  const watch = new MainDocumentTracker(session, {
    frameId: targetId,
    onChange: () => end.changed(),
    onFailure: (failure) => end.end(failure),
    problemOf: wayOut.problemOf,
    isProxied: wayOut.isProxied,
  })
  session.post('Page.enable')
  session.post('Page.setLifecycleEventsEnabled', { enabled: true })
  session.post('Network.enable', {
    maxTotalBufferSize: receivedBytesMax,
    maxResourceBufferSize: receivedBytesMax,
  })
  endWithPage(session, end)
  showScreen(session, screen)
  emulateDevice(options.device_type, session, order.url)
  if (!options.js_render) session.post('Emulation.setScriptExecutionDisabled', { value: true })
  session.post('Page.addScriptToEvaluateOnNewDocument', { source: hardeningScript })
  fillStorage(session, targetId, origin, options.localStorage)
  const gate = new RequestInterceptor(session, {
    rules: loadingRules(options),
    mainFrameId: targetId,
    isJson: options.is_json_response,
    target: {
      origin,
      headers: options.keep_headers ? forwardable(order.forwardedHeaders) : {},
      user,
    },
    proxyCredentials: wayOut.credentials,
    restrictTo: wayOut.restrictTo,
  })
  const answers = options.collect_data_from_requests ? new CollectedResponses() : undefined
  const log = new RequestLog(session, {
    isKept: options.debug,
    answers,
    isLoaded: (request) => gate.isLoaded(request),
  })
  context.onWorker((worker) => {
    emulateDeviceInWorker(options.device_type, worker)
    log.followWorker(worker)
    void worker.whenEnded.then((why) => {
      if (why !== 'closed') end.end(endings[why]())
    })
  })
  session.post('Runtime.runIfWaitingForDebugger')
  const world = new IsolatedWorld(session, targetId)
  return { session, frameId: targetId, screen, end, watch, log, answers, world }
}

function endWithPage(session: CdpSession, end: VisitDeadline): void {
  session.on('Inspector.targetCrashed', () =>
    end.end(
      new Failure(
        'BROWSER_CRASHED',
        'The page took its part of the browser down, or more memory than it may have.',
      ),
    ),
  )
  session.post('Inspector.enable')
  void session.whenEnded.then((why) => end.end(endings[why]()))
  // Nobody is there to answer; who wants to leave may.
  session.on('Page.javascriptDialogOpening', ({ type }) =>
    session.post('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }),
  )
}

const endings: Record<SessionEnd, () => Failure> = {
  closed: () => new Failure('BROWSER_CRASHED', 'The page was closed while it was looked at.'),
  flooded: () =>
    new Failure(
      'RESPONSE_TOO_LARGE',
      'The page does more than can be followed: too many requests.',
    ),
  confusing: () => new Failure('BAD_RESPONSE', 'The page does what cannot be followed.'),
}

function showScreen(session: CdpSession, screen: Screen): void {
  session.post('Emulation.setDeviceMetricsOverride', metricsOf(screen))
  if (screen.hasTouch) {
    session.post('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 })
  }
}

function fillStorage(
  session: CdpSession,
  frameId: string,
  origin: string,
  entries: Readonly<Record<string, string>>,
): void {
  if (Object.keys(entries).length === 0) return
  const source = storageScript(origin, entries)
  const added = session.send('Page.addScriptToEvaluateOnNewDocument', { source })
  added.catch(() => undefined) // a visit that is over takes the script along
  let isThere = false
  session.on('Page.frameNavigated', ({ frame }) => {
    isThere ||= frame.id === frameId && frame.securityOrigin === origin
  })
  // Not before: the first script of a document may still be to come when its frame is there.
  session.on('Network.requestWillBeSent', ({ type, frameId: from }) => {
    if (!isThere || type !== 'Document' || from !== frameId) return
    added.then(
      ({ identifier }) => session.post('Page.removeScriptToEvaluateOnNewDocument', { identifier }),
      () => undefined,
    )
  })
}
