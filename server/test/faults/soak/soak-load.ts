import { setTimeout as pause } from 'node:timers/promises'
import { callbackPath, realtimePath } from '../../support/scrape-calls.ts'
import type { TestAccount } from '../../support/test-service.ts'
import { jsonText, pageText, type SoakPeers } from './soak-peers.ts'

/** Counts of requests, and everything that did not end as expected. */
export interface SoakCounts {
  asked: Record<SoakKind, number>
  /** Tasks whose callback or event must arrive. */
  promised: { callbacks: string[]; events: string[] }
  wrong: string[]
}

const kinds = [
  'callback',
  'realtime',
  'json',
  'minified',
  'tracked',
  'failing receiver',
  'hanging receiver',
  'bad target',
] as const
type SoakKind = (typeof kinds)[number]

/** The kind of each of a hundred requests; most are ordinary. */
const mix: readonly SoakKind[] = Array.from({ length: 100 }, (_, index) => {
  if (index % 50 === 7) return 'hanging receiver'
  const ofTen = index % 10
  if (ofTen < 4) return 'callback'
  if (ofTen < 6) return 'realtime'
  return (
    ['json', 'minified', 'tracked', index % 20 < 10 ? 'failing receiver' : 'bad target'] as const
  )[ofTen - 6] as SoakKind
})

type Caller = Pick<TestAccount, 'call'>

/** Sends requests at a fixed rate until the time is over, without waiting for responses. */
export async function runSoakLoad(
  caller: Caller,
  peers: SoakPeers,
  { ms, perSecond }: { ms: number; perSecond: number },
): Promise<SoakCounts> {
  const asked = Object.fromEntries(kinds.map((kind) => [kind, 0])) as SoakCounts['asked']
  const counts: SoakCounts = { asked, promised: { callbacks: [], events: [] }, wrong: [] }
  const ask = createAsk(caller, peers, counts)
  const startedAtMs = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let index = 0; performance.now() - startedAtMs < ms; index += 1) {
    const kind = mix[index % mix.length] ?? 'callback'
    counts.asked[kind] += 1
    const one = ask[kind]()
      .catch((error) => void counts.wrong.push(`${kind}: ${error}`))
      .finally(() => underWay.delete(one))
    underWay.add(one)
    const dueAtMs = startedAtMs + ((index + 1) * 1_000) / perSecond
    await pause(Math.max(0, dueAtMs - performance.now()))
  }
  await Promise.all(underWay)
  return counts
}

function createAsk(
  caller: Caller,
  peers: SoakPeers,
  counts: SoakCounts,
): Record<SoakKind, () => Promise<void>> {
  const { originUrl: url } = peers
  const { callbacks, events } = counts.promised
  const { call } = caller

  const submit = async (body: object, isTold: boolean): Promise<void> => {
    const answer = await call(`POST ${callbackPath}`, { url, ...body })
    if (answer.statusCode !== 202) return void counts.wrong.push(answer.text.slice(0, 200))
    const { requestId } = answer.json()
    events.push(requestId)
    if (isTold) callbacks.push(requestId)
  }
  const now = async (configurations: object, isRight: (text: string) => boolean): Promise<void> => {
    const answer = await call(`POST ${realtimePath}`, { url, configurations })
    events.push(answer.headers['x-request-id'] ?? '')
    if (!isRight(answer.text)) counts.wrong.push(answer.text.slice(0, 200))
  }
  return {
    callback: () => submit({ callbackUrl: peers.receiverUrl }, true),
    realtime: () => now({}, (text) => text === pageText),
    json: async () => {
      const body = { url: `${url}json`, configurations: { is_json_response: true } }
      const answer = await call(`POST ${realtimePath}`, body)
      events.push(answer.headers['x-request-id'] ?? '')
      if (answer.text !== jsonText) counts.wrong.push(answer.text.slice(0, 200))
    },
    minified: () =>
      now(
        { HTMLMinifier: { useMinifier: true } },
        (text) => text.length > 100 && text.length < pageText.length,
      ),
    tracked: async () => {
      const list = await call(`GET ${callbackPath}?page_size=10`)
      const id = list.json().items[0]?.requestId ?? callbacks.at(-1)
      const answer = await call(`GET ${callbackPath}/${id}`)
      if (list.statusCode !== 200 || answer.statusCode !== 200) {
        counts.wrong.push(`tracking: ${list.statusCode}, ${answer.statusCode}`)
      }
    },
    'failing receiver': () => submit({ callbackUrl: peers.failingUrl }, false),
    'hanging receiver': () => {
      const { hangingUrls } = peers
      const callbackUrl = hangingUrls[counts.asked['hanging receiver'] % hangingUrls.length]
      return submit({ callbackUrl }, false)
    },
    'bad target': () =>
      submit(
        {
          url: `${url}garbage`,
          callbackUrl: peers.receiverUrl,
          configurations: { retries: { useRetries: false } },
        },
        true,
      ),
  }
}
