import { expect, expectEqual, rejection, take } from './expect-trial.ts'
import type { TrialScene, TrialStep } from './run-trial.ts'

/**
 * Each class of failure once. A path below `/fault/KIND/COUNT/NAME` of the gateway leads to the service,
 * after that many requests have met the fault.
 */
export const everyFailure: Record<string, TrialStep> = {
  async 'AuthError: a wrong key'({ sdk, origin }) {
    const stranger = new sdk.Trawl({ baseUrl: origin, apiKey: 'no-key-of-anybody' })
    const error = await rejection(sdk.AuthError, stranger.getStatistics())
    expectEqual([error.status, error.code, error.retryable], [401, 'UNAUTHORIZED', false])
    expect(error.correlationId, 'a correlation id')
  },

  async 'ValidationError: each fault is named'({ sdk, trawl, site }) {
    const request = { url: site('a'), timeout: 1 }
    const error = await rejection(sdk.ValidationError, trawl.scrape(request))
    expectEqual([error.status, error.detail[0]?.loc], [422, ['body', 'timeout']])
    const empty = await rejection(sdk.ValidationError, trawl.startBatch({ urls: [] }))
    expectEqual(empty.detail[0]?.loc, ['body', 'urls'])
    await rejection(sdk.ValidationError, trawl.whitelistedIps.add([]))
  },

  async 'NotFoundError: no such job'({ sdk, trawl }) {
    const id = '01a1def5-68ae-7e29-9849-4f82ca93e413'
    expectEqual((await rejection(sdk.NotFoundError, trawl.getBatch(id))).code, 'NOT_FOUND')
  },

  async 'ConflictError: what is over cannot be cancelled'({ sdk, trawl, site }) {
    const { job_id } = await trawl.startBatch({ urls: [site('a')] })
    await trawl.waitForBatch(job_id)
    expectEqual((await rejection(sdk.ConflictError, trawl.cancelBatch(job_id))).status, 409)
  },

  async 'ScrapeError: now, and of a job'({ sdk, trawl, site }) {
    const request = { url: site('reset'), configurations: { retries: { maxRetries: 0 } } }
    const now = await rejection(sdk.ScrapeError, trawl.scrape(request))
    expectEqual([now.code, now.reason], ['NETWORK_ERROR', 'TARGET_UNREACHABLE'])
    expect(now.jobId && now.retryable, 'a job, and that another try may help')
    const { job_id } = await trawl.startScrape(request)
    const later = await rejection(sdk.ScrapeError, trawl.waitForScrape(job_id))
    expectEqual([later.code, later.reason, later.jobId], [now.code, now.reason, job_id])
    const realtime = await rejection(sdk.ScrapeError, trawl.scraper.realtime(request))
    expectEqual(realtime.code, 'TARGET_UNREACHABLE')
  },

  async 'RateLimitError: a 429 is thrown, or waited out'(scene) {
    const { sdk } = scene
    const error = await rejection(sdk.RateLimitError, through(scene, '429', 1, 0).getStatistics())
    expectEqual([error.status, error.retryAfter, error.retryable], [429, 0, true])
    expect(await through(scene, '429', 2).getStatistics(), 'statistics after two refusals')
    expect(await through(scene, '429', 1).scrape({ url: scene.site('a') }), 'a page')
  },

  async 'ServerError: a 503 is thrown, or waited out'(scene) {
    const { sdk } = scene
    const error = await rejection(sdk.ServerError, through(scene, '503', 1, 0).getStatistics())
    expectEqual([error.status, error.code, error.retryAfter], [503, 'SHUTTING_DOWN', 0])
    expect(await through(scene, '503', 2).getStatistics(), 'statistics after two refusals')
    const foreign = await rejection(sdk.ServerError, through(scene, 'html', 9, 0).getStatistics())
    expectEqual([foreign.status, foreign.code], [502, 'HTTP_502'])
  },

  async 'EngineUnavailableError: no browser'(scene) {
    const { sdk } = scene
    const trawl = through(scene, 'engine', 1)
    const request = { url: scene.site('a'), render_js: true }
    const error = await rejection(sdk.EngineUnavailableError, trawl.scrape(request))
    expectEqual([error.status, error.code], [503, 'BROWSER_UNAVAILABLE'])
  },

  async 'ConnectionError: a dropped connection is thrown, or tried again'(scene) {
    const { sdk, site } = scene
    // Many: browsers send a request again by themselves whenever a reused connection breaks, and the
    // other steps of the trial leave them connections to reuse.
    await rejection(sdk.ConnectionError, through(scene, 'drop', 99, 0).getStatistics())
    expect(await through(scene, 'drop', 1).getStatistics(), 'statistics at the second try')
    expect(await through(scene, 'cut', 1).getStatistics(), 'statistics after half an answer')
    // The service did it, but its answer was lost: the key brings the same answer again.
    const trawl = through(scene, 'lose', 1)
    const { job_id } = await trawl.startBatch({ urls: [site('lost-answer')] })
    await trawl.waitForBatch(job_id)
    const found = await take(trawl.tasks.list({ url: site('lost-answer') }))
    expectEqual(found.length, 1)
  },

  async 'TimeoutError: of a call, and of a wait'(scene) {
    const { sdk, trawl, site } = scene
    const late = through(scene, 'silent', 9).getStatistics(undefined, { timeout: 100 })
    expectEqual((await rejection(sdk.TimeoutError, late)).code, 'CLIENT_TIMEOUT')
    const { job_id } = await trawl.startBatch({ urls: [site('held')] })
    await rejection(sdk.TimeoutError, trawl.waitForBatch(job_id, { timeout: 100 }))
    await trawl.cancelBatch(job_id)
  },

  async 'an aborted call throws the reason of its signal'(scene) {
    const reason = new RangeError('enough')
    const stop = new AbortController()
    const call = through(scene, 'silent', 9).getStatistics(undefined, { signal: stop.signal })
    stop.abort(reason)
    expect((await rejection(RangeError, call)) === reason, 'the very reason')
    const signal = AbortSignal.abort(reason)
    await rejection(RangeError, scene.trawl.scrape({ url: scene.site('a') }, { signal }))
    const waiting = scene.trawl.waitForBatch('01a1def5-68ae-7e29-9849-4f82ca93e413', { signal })
    await rejection(RangeError, waiting)
  },

  async 'WebhookError: a wrong secret, a changed body, an old message'({ sdk }) {
    const { secret, body, headers, now } = signedMessage
    const verify = (raw: string, key: string, at: number) =>
      sdk.verifyWebhook(raw, headers, key, { now: at })
    await verify(body, secret, now)
    expectEqual(
      (await sdk.unwrapWebhook(body, headers, [otherSecret, secret], { now })).event,
      'ping',
    )
    const wrong = await rejection(sdk.WebhookError, verify(body, otherSecret, now))
    expectEqual(wrong.code, 'INVALID_SIGNATURE')
    const changed = await rejection(sdk.WebhookError, verify(`${body} `, secret, now))
    expectEqual(changed.code, 'INVALID_SIGNATURE')
    const old = await rejection(sdk.WebhookError, verify(body, secret, now + 301_000))
    expectEqual(old.code, 'OUTSIDE_TOLERANCE')
  },
}

const otherSecret = 'whsec_bm90IHRoZSBzZWNyZXQgb2YgYW55Ym9keSBhdCBhbGw='

/** A message with a known signature. */
const signedMessage = {
  secret: 'whsec_dGhlIHNlY3JldCBvZiBhIHRyaWFsLCBpbiBiYXNlNjQ=',
  body: '{"event":"ping","data":{}}',
  now: 1_767_225_600_000,
  headers: {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1767225600',
    'webhook-signature': 'v1,Q7cXmgC/B7mJL5t551u6lAwZDH9zn0593rn6YhDOuic=',
  },
}

/** A client whose first requests meet a fault on their way. */
function through(scene: TrialScene, kind: string, count: number, maxRetries = 3) {
  const { sdk, origin, apiKey } = scene
  const name = crypto.getRandomValues(new Uint32Array(2)).join('-')
  return new sdk.Trawl({ baseUrl: `${origin}/fault/${kind}/${count}/${name}`, apiKey, maxRetries })
}
