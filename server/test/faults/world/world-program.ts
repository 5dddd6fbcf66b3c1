/** The peers of the services under fault, in their own process; see `world.ts`. */

import { retryWhileUnavailable } from '../../support/retry-while-unavailable.ts'
import { startPeers } from '../ledger/ledger-peers.ts'
import { type Callers, startCallers } from './callers.ts'
import type {
  CallingOptions,
  DuplicateOptions,
  DuplicateResponse,
  Progress,
  SubmitOptions,
} from './world-commands.ts'

process.once('disconnect', () => process.exit())

const peers = await startPeers({ chance: () => 1, callbackSecret: process.argv[2] ?? '' })
const submittedAtMs = new Map<string, number>()
let callers: Callers | undefined

const answers = {
  urls: async () => ({ receiverUrls: peers.receiverUrls }),
  async startCalling(options: CallingOptions) {
    const { originDelayMs } = options
    const nowMs = () => performance.timeOrigin + performance.now()
    const bodyOf = (nonce: string) =>
      taskBody(nonce, { originDelayMs, receiverDelayMs: 0, receivers: peers.receiverUrls })
    callers = startCallers({ ...options, bodyOf, nowMs })
  },
  stopCalling: async () => await callers?.stop(),
  books: async () => ({
    entries: callers?.entries ?? [],
    failedCalls: callers?.failedCalls ?? [],
    arrivals: peers.arrivals.map((one) => ({ ...one, atMs: performance.timeOrigin + one.atMs })),
  }),
  submit,
  countPassedBy: async ({ prefix, since }: { prefix: string; since: Progress }) => ({
    asked: othersBeforeLast(prefix, peers.requestedNonces.slice(since.asked)),
    arrived: othersBeforeLast(
      prefix,
      peers.arrivals.slice(since.arrived).map(({ nonce }) => nonce),
    ),
  }),
  countArrived: async ({ prefix }: { prefix: string }) => arrivedOf(prefix).length,
  latenciesMs: async ({ prefix }: { prefix: string }) =>
    arrivedOf(prefix).map(({ nonce, atMs }) => atMs - (submittedAtMs.get(nonce) ?? Number.NaN)),
  countAsked: async ({ prefix }: { prefix: string }) =>
    peers.requestedNonces.filter((nonce) => nonce.startsWith(prefix)).length,
  sendDuplicates,
}

process.on('message', async ({ kind, ...options }: { kind: keyof typeof answers }) => {
  try {
    process.send?.({ value: await answers[kind](options as never) })
  } catch (error) {
    process.send?.({ error: String(error) })
  }
})

function othersBeforeLast(prefix: string, nonces: readonly string[]): number {
  const isOurs = (nonce: string) => nonce.startsWith(prefix)
  return nonces.slice(0, nonces.findLastIndex(isOurs) + 1).filter((nonce) => !isOurs(nonce)).length
}

const arrivedOf = (prefix: string) => peers.arrivals.filter(({ nonce }) => nonce.startsWith(prefix))

function taskBody(
  nonce: string,
  how: Pick<SubmitOptions, 'originDelayMs' | 'receiverDelayMs' | 'receivers'>,
): string {
  const number = Number(nonce.slice(nonce.lastIndexOf('-') + 1))
  const receiver = how.receivers[number % how.receivers.length]
  // Jitter of a quarter, so that not all slots become free at the same time.
  const vary = (ms: number) => Math.round(ms * (0.75 + (number % 9) / 16))
  return JSON.stringify({
    url: `${peers.originUrl}/${nonce}?delay=${vary(how.originDelayMs)}`,
    callbackUrl: `${receiver}/in?delay=${vary(how.receiverDelayMs)}`,
    metadata: { nonce },
  })
}

async function submit(options: SubmitOptions): Promise<Progress> {
  let number = 0
  const submitNext = async () => {
    while (number < options.count) {
      const nonce = `${options.prefix}-${number}`
      number += 1
      submittedAtMs.set(nonce, performance.now())
      const answer = await post(options.serviceUrl, options.apiKey, taskBody(nonce, options))
      await answer.arrayBuffer()
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: options.together }, submitNext))
  return { asked: peers.requestedNonces.length, arrived: peers.arrivals.length }
}

/** All at once, each until it is accepted: whoever was left without an answer asks again. */
async function sendDuplicates(options: DuplicateOptions): Promise<DuplicateResponse[]> {
  const how = { originDelayMs: 0, receiverDelayMs: 0, receivers: peers.receiverUrls }
  const body = taskBody(`${options.key}-0`, how)
  const deadlineMs = performance.now() + 120_000
  const send = async (index: number): Promise<DuplicateResponse> => {
    for (let tries = index; performance.now() < deadlineMs; tries += 1) {
      const serviceUrl = options.serviceUrls[tries % options.serviceUrls.length] ?? ''
      try {
        const answer = await post(serviceUrl, options.apiKey, body, options.key)
        const { requestId } = (await answer.json()) as { requestId?: string }
        const isReplay = answer.headers.get('idempotency-replayed') === 'true'
        return { status: answer.status, requestId, isReplay }
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    throw new Error('There was no answer in time.')
  }
  return await Promise.all(Array.from({ length: options.count }, (_, index) => send(index)))
}

const post = (serviceUrl: string, apiKey: string, body: string, key?: string): Promise<Response> =>
  retryWhileUnavailable(
    () => postOnce(serviceUrl, apiKey, body, key),
    ({ status }) => status === 503,
  )

const postOnce = (
  serviceUrl: string,
  apiKey: string,
  body: string,
  key: string | undefined,
): Promise<Response> =>
  fetch(`${serviceUrl}/api/scraper/scrape/callback`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': apiKey,
      ...(key && { 'idempotency-key': key }),
    },
    body,
    signal: AbortSignal.timeout(60_000),
  })
