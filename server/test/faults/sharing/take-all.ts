/** The ways in which an account takes all it can, and keeps it. */
import { connect } from 'node:net'
import { until } from '../../support/until.ts'
import {
  callOk,
  extract,
  type SharingScene,
  submitBatch,
  untilBatchEnded,
} from './sharing-scene.ts'
import type { SharingSite } from './sharing-site.ts'

export interface Taken {
  /** How many of its requests were served since. */
  servedCount(): number
  /** Resolves once nothing of it is left. */
  letGo(): Promise<void>
}

interface HeldBatch {
  kind: Parameters<SharingSite['hold']>[0]
  count: number
  heldCount: number
  more?: object
}

/** Pages that stay open. */
export async function holdBatch(
  { greedy, site }: SharingScene,
  { kind, count, heldCount, more }: HeldBatch,
): Promise<Taken> {
  const page = site.hold(kind)
  const id = await submitBatch(greedy, Array(count).fill(page.url()), more)
  await page.untilHeld(heldCount)
  return {
    servedCount: () => Math.max(0, heldCount - page.heldCount()),
    async letGo() {
      page.release()
      await untilBatchEnded(greedy, id)
    },
  }
}

/** So many callers who ask again and again. */
export async function keepAsking(count: number, call: () => Promise<unknown>): Promise<Taken> {
  let servedCount = 0
  let isOver = false
  const callers = Array.from({ length: count }, async () => {
    while (!isOver) {
      await call()
      servedCount += 1
    }
  })
  const ended = Promise.all(callers)
  await Promise.race([ended, until(() => servedCount >= count)])
  const before = servedCount
  return {
    servedCount: () => servedCount - before,
    async letGo() {
      isOver = true
      await ended
    },
  }
}

/** So many requests at once; it is taken when the first of them is served. */
export async function askTogether(count: number, call: () => Promise<unknown>): Promise<Taken> {
  let servedCount = 0
  const calls = Array.from({ length: count }, async () => {
    await call()
    servedCount += 1
  })
  const ended = Promise.all(calls)
  await Promise.race([ended, until(() => servedCount > 0)])
  const before = servedCount
  return {
    servedCount: () => servedCount - before,
    async letGo() {
      await ended
    },
  }
}

const receiverHosts = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 1}`)
const callbacksEach = 12

/** Callbacks to receivers that do not answer, more of them than the lane has slots. */
export async function holdDeliveries({ greedy, site }: SharingScene): Promise<Taken> {
  const receiver = site.hold('silent')
  await Promise.all(
    receiverHosts.flatMap((host) =>
      Array.from({ length: callbacksEach }, () =>
        callOk(greedy, callbackRequest, {
          url: site.url('small'),
          callbackUrl: receiver.url(host),
        }),
      ),
    ),
  )
  await receiver.untilHeld(64)
  return {
    servedCount: () => Math.max(0, 64 - receiver.heldCount()),
    async letGo() {
      receiver.release()
      await receiver.untilAsked(receiverHosts.length * callbacksEach)
    },
  }
}

const callbackRequest = 'POST /api/scraper/scrape/callback'

/** Resolves when it has been received. */
export async function receiveOwnCallback({ other, site }: SharingScene): Promise<void> {
  const receiver = site.hold('silent')
  await callOk(other, callbackRequest, { url: site.url('small'), callbackUrl: receiver.url() })
  await receiver.untilHeld(1)
  receiver.release()
}

/** Connections from another address, each with this text. */
export async function holdSockets(
  { serviceUrl }: SharingScene,
  { count, text }: { count: number; text: string },
): Promise<Taken> {
  const port = Number(new URL(serviceUrl).port)
  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' })
    socket.on('error', () => undefined).resume()
    socket.write(text)
    return socket
  })
  await until(() => sockets.every((socket) => !socket.connecting))
  return {
    servedCount: () => 0,
    async letGo() {
      for (const socket of sockets) socket.destroy()
      await until(() => sockets.every((socket) => socket.closed))
    },
  }
}

/** Listens, and hears of a task of its own. */
export async function hearOwnTask({ serviceUrl, other, site }: SharingScene): Promise<void> {
  const stop = new AbortController()
  const response = await fetch(`${serviceUrl}/v1/events?topics=tasks`, {
    headers: { 'x-api-key': other.apiKey },
    signal: stop.signal,
  })
  const submitted = extract(other, site.url('small'))
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes('"status":"completed"')) break
    }
    await submitted
  } finally {
    stop.abort()
  }
}
