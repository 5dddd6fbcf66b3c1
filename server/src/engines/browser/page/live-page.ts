import { Failure } from '../../../domain/failure.ts'
import { callerHeaders } from '../../request/request-headers.ts'
import type { UrlCredentials } from '../../request/url-credentials.ts'
import type { CdpSession, SessionEnd } from '../cdp/cdp-connection.ts'
import { IsolatedWorld } from '../cdp/isolated-world.ts'
import type { BrowserContext, NewPage } from '../launch/running-browser.ts'
import { CollectedResponses } from './collected-responses.ts'
import { hardeningScript, storageScript } from './init-scripts.ts'
import { loadingRules } from './loading-rules.ts'
import { MainDocumentTracker } from './main-document-tracker.ts'
import type { PageEgress } from './page-egress.ts'
import { receivedBytesMax } from './read-page.ts'
import { RequestInterceptor } from './request-interceptor.ts'
import { RequestLog } from './request-log.ts'
import { emulateDevice, emulateDeviceInWorker, metricsOf, type Screen } from './screens.ts'
import type { VisitDeadline } from './visit-deadline.ts'
import type { BrowserOrder } from './visit-order.ts'

/** An open page and the objects that observe it. */
export type LivePage = ReturnType<typeof startPage>

export interface VisitParts {
  context: BrowserContext
  egress: PageEgress
  deadline: VisitDeadline
  /** The credentials of the URL, for a challenge of the target. */
  user: UrlCredentials | undefined
}

/**
 * Configures a paused page and starts it. No command is awaited: a paused page answers none of
 * them, and the browser carries them out in the order in which they were sent.
 */
export function startPage(
  { session, targetId, start }: NewPage,
  order: BrowserOrder,
  { context, deadline, screen, user, egress }: VisitParts & { screen: Screen },
) {
  const { options } = order
  const { origin } = new URL(order.url)
  const tracker = new MainDocumentTracker(session, {
    frameId: targetId,
    onChange: () => deadline.recheck(),
    onFailure: (failure) => deadline.abort(failure),
    problemOf: egress.problemOf,
    isProxied: egress.isProxied,
    leavesFiles: order.leavesFiles ?? false,
  })
  session.post('Page.enable')
  session.post('Page.setLifecycleEventsEnabled', { enabled: true })
  session.post('Network.enable', {
    maxTotalBufferSize: receivedBytesMax,
    maxResourceBufferSize: receivedBytesMax,
  })
  abortWithPage(session, deadline)
  emulateScreen(session, screen)
  emulateDevice(options.device_type, session, order.url)
  if (!options.js_render) session.post('Emulation.setScriptExecutionDisabled', { value: true })
  session.post('Page.addScriptToEvaluateOnNewDocument', { source: hardeningScript })
  fillStorage(session, targetId, origin, options.localStorage)
  const interceptor = new RequestInterceptor(session, {
    rules: loadingRules(options),
    mainFrameId: targetId,
    isJson: options.is_json_response,
    target: { origin, headers: callerHeaders(order) ?? {}, user },
    proxyCredentials: egress.credentials,
    hasLoginDialogs: context.flavor === 'chrome',
    restrictTo: egress.restrictTo,
  })
  const collected = options.collect_data_from_requests ? new CollectedResponses() : undefined
  const log = new RequestLog(session, {
    isRecorded: options.debug,
    collected,
    mayLoad: (request) => interceptor.mayLoad(request),
  })
  context.onWorker((worker) => {
    emulateDeviceInWorker(options.device_type, worker)
    log.followWorker(worker)
    void worker.whenEnded.then((why) => {
      if (why !== 'closed') deadline.abort(failureOf[why]())
    })
  })
  start().catch((error: unknown) => deadline.abort(error))
  const world = new IsolatedWorld(session, targetId)
  const { accountId } = order
  return { accountId, session, frameId: targetId, screen, deadline, tracker, log, collected, world }
}

function abortWithPage(session: CdpSession, deadline: VisitDeadline): void {
  session.on('Inspector.targetCrashed', () =>
    deadline.abort(
      new Failure(
        'BROWSER_CRASHED',
        'The page crashed its renderer process or used more memory than allowed.',
      ),
    ),
  )
  session.post('Inspector.enable')
  void session.whenEnded.then((why) => deadline.abort(failureOf[why]()))
  // Dialogs are dismissed, as nobody can answer them; leaving the page is allowed.
  session.on('Page.javascriptDialogOpening', ({ type }) =>
    session.post('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }),
  )
}

const failureOf: Record<SessionEnd, () => Failure> = {
  closed: () => new Failure('BROWSER_CRASHED', 'The page was closed during the visit.'),
  flooded: () =>
    new Failure('RESPONSE_TOO_LARGE', 'The page causes too many browser events, such as requests.'),
  failed: () => new Failure('BAD_RESPONSE', 'The page caused an unexpected browser event.'),
}

function emulateScreen(session: CdpSession, screen: Screen): void {
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
  added.catch(() => undefined) // the visit has ended
  let isCommitted = false
  session.on('Page.frameNavigated', ({ frame }) => {
    isCommitted ||= frame.id === frameId && frame.securityOrigin === origin
  })
  // Removed only at the next navigation: the script may run after `frameNavigated` is reported.
  session.on('Network.requestWillBeSent', ({ type, frameId: from }) => {
    if (!isCommitted || type !== 'Document' || from !== frameId) return
    added.then(
      ({ identifier }) => session.post('Page.removeScriptToEvaluateOnNewDocument', { identifier }),
      () => undefined,
    )
  })
}
