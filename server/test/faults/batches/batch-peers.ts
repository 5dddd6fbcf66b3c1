import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A `batch_completed` event that the receiver got, and how it answered. */
interface BatchArrival {
  jobId: string
  deliveryId: string
  isAcknowledged: boolean
  fault: string | undefined
}

export interface BatchPeers extends AsyncDisposable {
  readonly originUrl: string
  readonly receiverUrl: string
  readonly arrivals: BatchArrival[]
  /** When each page was requested, by its path. */
  readonly requestedAtMs: Map<string, number[]>
}

/** The origin resets every request for such a page, so it fails. */
export const isBroken = (path: string): boolean => path.startsWith('/bad')

/** An origin with pages of which some are broken, and a receiver that fails one in ten. */
export async function startBatchPeers(options: {
  chance: () => number
  callbackSecret: string
}): Promise<BatchPeers> {
  const arrivals: BatchArrival[] = []
  const requestedAtMs = new Map<string, number[]>()
  const origin = createServer((request, response) => {
    const path = request.url ?? ''
    requestedAtMs.set(path, [...(requestedAtMs.get(path) ?? []), performance.now()])
    if (isBroken(path)) request.socket.resetAndDestroy()
    else response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${path}</p>`)
  })
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString('utf8')
    const event = JSON.parse(body)
    const isAcknowledged = options.chance() >= 0.1
    arrivals.push({
      jobId: event.data.job_id,
      deliveryId: event.delivery_id,
      isAcknowledged,
      fault: faultOf(body, request.headers as Record<string, string>, options.callbackSecret),
    })
    response.writeHead(isAcknowledged ? 200 : 500).end()
  })
  const [originUrl, receiverUrl] = [await listen(origin), await listen(receiver)]
  return {
    originUrl,
    receiverUrl,
    arrivals,
    requestedAtMs,
    async [Symbol.asyncDispose]() {
      for (const server of [origin, receiver]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

function faultOf(
  body: string,
  headers: Record<string, string>,
  callbackSecret: string,
): string | undefined {
  try {
    new Webhook(callbackSecret).verify(body, headers)
  } catch (error) {
    return `signature: ${(error as Error).message}`
  }
  const { event, data, webhook_id } = JSON.parse(body)
  if (event !== 'batch_completed' || webhook_id !== null) return `the event ${event}`
  // The batch has run again since the end that this event is about.
  if (data.result_url) return undefined
  const { total_urls, completed_urls, failed_urls, cancelled_urls, pending_urls } = data
  const sum = completed_urls + failed_urls + cancelled_urls + pending_urls
  return sum === total_urls ? undefined : `counts that add up to ${sum} of ${total_urls}`
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
