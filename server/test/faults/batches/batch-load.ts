import { setTimeout as pause } from 'node:timers/promises'

export interface BatchLoad {
  /** The ids of accepted batches. */
  readonly jobIds: string[]
  stop(): Promise<void>
}

const callersTogether = 4
/** Of these, one is always broken. */
const urlsOfBatch = 20

/** Callers who submit batch after batch, cancel some of them, and run failed pages of others again. */
export function startBatchLoad(options: {
  serviceUrl: () => string
  apiKey: string
  originUrl: string
  receiverUrl: string
  chance: () => number
  /** At most, between two batches of a caller. */
  pauseMsMax: number
}): BatchLoad {
  const jobIds: string[] = []
  let submittedCount = 0
  let isStopping = false
  const callers = Array.from({ length: callersTogether }, call)
  return {
    jobIds,
    async stop() {
      isStopping = true
      await Promise.all(callers)
    },
  }

  async function call(): Promise<void> {
    while (!isStopping) {
      submittedCount += 1
      const id = await submit(`batch-${submittedCount}`)
      jobIds.push(id)
      const drawn = options.chance()
      if (drawn < 0.2) await insist('DELETE', id, [202, 409])
      else if (drawn < 0.5) await retryFailed(id)
      await pause(options.pauseMsMax * options.chance())
    }
  }

  /** Repeats the request under the same key until it is accepted. */
  async function submit(key: string): Promise<string> {
    const paths = Array.from({ length: urlsOfBatch }, (_, index) =>
      index === 7 ? `/bad-${key}` : `/${key}-${index}`,
    )
    const body = {
      urls: paths.map((path) => options.originUrl + path),
      callback_url: `${options.receiverUrl}/in`,
      configurations: { retries: { useRetries: false } },
    }
    for (;;) {
      const response = await ask('POST', '', body, { 'idempotency-key': key })
      if (response?.status === 202) return response.body.job_id
      await pause(100)
    }
  }

  async function retryFailed(id: string): Promise<void> {
    for (;;) {
      const response = await ask('GET', `/${id}`)
      if (response?.status === 404 || response?.body.completed_at) break
      await pause(100)
    }
    // 410: the results of this batch are no longer kept.
    await insist('POST', `${id}/retry-failed`, [202, 404, 409, 410])
  }

  async function insist(method: string, path: string, statuses: readonly number[]): Promise<void> {
    for (;;) {
      const response = await ask(method, `/${path}`)
      if (response && statuses.includes(response.status)) return
      await pause(100)
    }
  }

  /** Undefined without a response. */
  async function ask(method: string, path: string, body?: object, headers = {}) {
    try {
      const response = await fetch(`${options.serviceUrl()}/v1/batch${path}`, {
        method,
        headers: {
          'x-api-key': options.apiKey,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
      const text = await response.text()
      return { status: response.status, body: JSON.parse(text) }
    } catch {
      return undefined
    }
  }
}
