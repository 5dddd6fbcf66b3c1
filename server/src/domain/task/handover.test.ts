import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Handover } from '../scrape/engine-reason.ts'
import { ExtractRequest } from '../scrape/extract-request.ts'
import { planExtraction } from '../scrape/plan-extraction.ts'
import type { AttemptRecord } from './attempt.ts'
import { engineReasonOf, isAuto, isJudged, leavesFiles, verdictOn } from './handover.ts'
import type { TaskLane } from './lane.ts'
import type { Task } from './task.ts'

/** An extraction with these options, and the reasons of its handovers so far. */
function taskWith(options: object, reasons: Handover['reason'][] = []) {
  const { url, processing_mode, ...given } = ExtractRequest.parse({
    url: 'https://shop.example/',
    ...options,
  })
  const record: Omit<AttemptRecord, 'engine'> = {
    proxy: null,
    outcome: 'page',
    statusCode: 200,
    startedAtMs: 0,
    durationMs: 1,
    queueMs: 0,
    timings: null,
  }
  const attemptLog = reasons.map(
    (reason): AttemptRecord => ({
      ...record,
      engine: reason === 'file' ? 'browser' : 'http',
      handover: { reason, proxySession: null },
    }),
  )
  return { request: planExtraction(url, given, processing_mode), attemptLog } as Task & {
    attemptLog: AttemptRecord[]
  }
}

test('the response decides the engine where the caller said `auto` and nothing else decides it', () => {
  assert.equal(isAuto(taskWith({ render_js: 'auto' })), true)
  assert.equal(isAuto(taskWith({ render_js: true })), false)
  assert.equal(isAuto(taskWith({ render_js: false })), false)
  assert.equal(isAuto(taskWith({})), false)
  assert.equal(isAuto(taskWith({ render_js: 'auto', method: 'POST' })), false)
  assert.equal(isAuto(taskWith({ render_js: 'auto', formats: ['screenshot'] })), false)
})

test('a file that a browser came upon is not judged, so it does not go back to the browser', () => {
  assert.equal(isJudged(taskWith({ render_js: 'auto' })), true)
  assert.equal(isJudged(taskWith({ render_js: 'auto' }, ['script_shell', 'file'])), false)
})

test('an extraction leaves files to the HTTP engine, a scrape and a request for JSON do not', () => {
  const { request } = taskWith({ render_js: true })

  assert.equal(leavesFiles({ request }), true)
  assert.equal(leavesFiles({ request: { ...request, purpose: { kind: 'realtime' } } }), false)
  assert.equal(leavesFiles(taskWith({ configurations: { is_json_response: true } })), false)
})

test('a target that asks for a pause gets no visit of a browser, unless it is a challenge', () => {
  const soon = { 'retry-after': '5' }

  assert.equal(verdictOn({ statusCode: 200, headers: {} }, 'script_shell'), 'script_shell')
  assert.equal(verdictOn({ statusCode: 404, headers: {} }, 'empty_app_root'), 'empty_app_root')
  assert.equal(verdictOn({ statusCode: 429, headers: {} }, 'script_shell'), 'static')
  assert.equal(verdictOn({ statusCode: 503, headers: soon }, 'noscript_demand'), 'static')
  assert.equal(
    verdictOn({ statusCode: 429, headers: soon }, 'script_challenge'),
    'script_challenge',
  )
})

const reasons: [
  options: object,
  earlier: Handover['reason'][],
  engine: TaskLane,
  verdict: Parameters<typeof engineReasonOf>[2],
  reason: ReturnType<typeof engineReasonOf>,
][] = [
  [{ render_js: 'auto' }, [], 'http', 'static', 'static'],
  [{ render_js: 'auto' }, [], 'http', 'script_shell', 'browser_unavailable'],
  [{ render_js: 'auto' }, [], 'browser', undefined, 'scripted_host'],
  [{ render_js: 'auto' }, ['script_challenge'], 'browser', undefined, 'script_challenge'],
  [{ render_js: 'auto' }, ['script_shell', 'file'], 'http', undefined, 'file'],
  [{ render_js: true }, ['file'], 'http', undefined, 'file'],
  [{ render_js: true }, [], 'browser', undefined, undefined],
  [{ render_js: false }, [], 'http', undefined, undefined],
]

for (const [options, earlier, engine, verdict, reason] of reasons) {
  const given = [JSON.stringify(options), ...earlier, engine, verdict ?? 'not judged'].join(', ')
  test(`the reason for the engine is ${reason ?? 'left to the request'}: ${given}`, () => {
    assert.equal(engineReasonOf(taskWith(options, earlier), engine, verdict), reason)
  })
}
