import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import test, { type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { orderOf, smallPage } from '../../../test/support/pages-to-present.ts'
import { pdfOf } from '../../../test/support/pdf-of.ts'
import { createLog } from '../../runtime/log.ts'
import { Stopwatch } from '../../runtime/stopwatch.ts'
import type { PageToPresent } from '../present.ts'
import { type ContentWorkers, startContentWorkers } from './content-workers.ts'
import type { PresentCaller } from './worker-pool.ts'

const log = createLog({ level: 'silent', isPretty: false })

const extract = orderOf('text')

const minified: PageToPresent = { ...smallPage, minify: { useMinifier: true } }
const large: PageToPresent = { ...smallPage, extract, isInProcess: true }

/** One for each kind of process. */
const pages: Record<string, PageToPresent> = {
  minified,
  pdf: { ...smallPage, body: pdfOf([[[11, 50, 700, 'one two']]]), extract, mayBePdf: true },
  large,
  ruled: { ...smallPage, extract: { ...extract, rules: { first: 'p' } } },
  preview: {
    ...smallPage,
    body: Buffer.from('# one two'),
    contentType: 'text/plain',
    extract: { ...extract, formats: ['markdown'] },
    preview: 'markdown',
  },
}
const kindCount = Object.keys(pages).length

/** Presents pages; `processes` are those that were started for them, in this order. */
function start(t: TestContext, options: { pageMs?: number } = {}) {
  const processes: ChildProcess[] = []
  const note = (message: unknown) => processes.push((message as { process: ChildProcess }).process)
  subscribe('child_process', note)
  t.after(() => unsubscribe('child_process', note))
  const threads = startContentWorkers({ count: 1, log, ...options })
  t.after(() => threads[Symbol.asyncDispose]())
  return { threads, processes }
}

/** Resolves when the page is with a process; that one is only starting, so it has not replied. */
async function handOver(
  threads: ContentWorkers,
  handed: PageToPresent,
  caller: Partial<PresentCaller> = {},
) {
  const waiting = new Stopwatch()
  const isHandedOver = new Promise<void>((resolve) => {
    waiting.stop = resolve
  })
  const presented = threads.present(handed, { accountId: 'a', waiting, ...caller }).then(
    ({ bytes }) => Buffer.from(bytes).toString('utf8'),
    ({ code, message }) => code ?? message,
  )
  await isHandedOver
  await nextTurn()
  return { presented }
}

async function handOverAll(threads: ContentWorkers, handed = pages) {
  const entries = Object.entries(handed).map(async ([kind, one]) => {
    const { presented } = await handOver(threads, one)
    return { kind, presented }
  })
  return await Promise.all(entries)
}

async function outcomes(handedOver: { kind: string; presented: Promise<string> }[]) {
  const entries = handedOver.map(async ({ kind, presented }) => [kind, await presented])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>
}

/** Waits until so many processes were started, or the pages have ended without them. */
async function untilStarted(
  processes: ChildProcess[],
  count: number,
  presented: Promise<unknown>,
): Promise<void> {
  let hasEnded = false
  void presented.then(() => {
    hasEnded = true
  })
  while (processes.length < count && !hasEnded) await nextTurn()
  await nextTurn()
}

test('a page whose process is killed from outside is presented in a new one', async (t) => {
  const { threads, processes } = start(t)
  const handedOver = await handOverAll(threads, { minified, large })
  assert.equal(processes.length, 2)

  for (const child of processes.slice()) child.kill('SIGKILL')

  assert.deepEqual(await outcomes(handedOver), {
    minified: '"<p>one two</p>"',
    large: '{"html":null,"markdown":null,"text":"one two"}',
  })
  assert.equal(processes.length, 4)
})

/** The minifier's page is returned as it came. */
const blamed = {
  minified: '"<p>one    two</p>"',
  pdf: 'CONTENT_TOO_COMPLEX',
  large: 'RESPONSE_TOO_LARGE',
  ruled: 'RESPONSE_TOO_LARGE',
  preview: 'RESPONSE_TOO_LARGE',
}

test('a page whose second process is killed too is to blame', async (t) => {
  const { threads, processes } = start(t)
  const handedOver = await handOverAll(threads)

  for (const child of processes.slice()) child.kill('SIGKILL')
  const ended = outcomes(handedOver)
  await untilStarted(processes, 2 * kindCount, ended)
  for (const child of processes.slice(kindCount)) child.kill('SIGKILL')

  assert.deepEqual(await ended, blamed)
  assert.equal(processes.length, 2 * kindCount)
})

// So V8 ends a process whose heap is full, or in which an array or a string would grow too long.
for (const signal of ['SIGABRT', 'SIGTRAP'] as const) {
  test(`a page whose process ends by ${signal} is to blame at once`, async (t) => {
    const { threads, processes } = start(t)
    const handedOver = await handOverAll(threads)

    for (const child of processes) child.kill(signal)

    assert.deepEqual(await outcomes(handedOver), blamed)
    assert.equal(processes.length, kindCount)
  })
}

test('both processes of a page share one time limit', async (t) => {
  const pageMs = 30_000
  let nowMs = performance.now()
  t.mock.method(performance, 'now', () => nowMs)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { threads, processes } = start(t, { pageMs })
  const { presented } = await handOver(threads, large)

  nowMs += pageMs - 1
  processes[0]?.kill('SIGKILL')
  await untilStarted(processes, 2, presented)
  t.mock.timers.tick(1)

  assert.equal(await presented, 'CONTENT_TOO_COMPLEX')
  assert.equal(processes.length, 2)
})

test('a page that took too long is not presented again', async (t) => {
  const { threads, processes } = start(t, { pageMs: 1 })

  const { presented } = await handOver(threads, large)

  assert.equal(await presented, 'CONTENT_TOO_COMPLEX')
  assert.equal(processes.length, 1)
})

test('a page for which nobody waits is not presented again', async (t) => {
  const { threads, processes } = start(t)
  const caller = new AbortController()
  const { presented } = await handOver(threads, large, { signal: caller.signal })
  const [child] = processes
  assert(child)
  const closed = once(child, 'close')

  caller.abort(new Error('no longer wanted'))
  child.kill('SIGKILL')

  assert.equal(await presented, 'no longer wanted')
  await closed
  await nextTurn()
  assert.equal(processes.length, 1)
})

test('a page whose process ends with the service is not presented again', async (t) => {
  const { threads, processes } = start(t)
  const { presented } = await handOver(threads, large)

  await threads[Symbol.asyncDispose]()

  assert.equal(await presented, 'SHUTTING_DOWN')
  assert.equal(processes.length, 1)
})
