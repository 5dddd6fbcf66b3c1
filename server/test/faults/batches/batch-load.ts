import { setTimeout as pause } from 'node:timers/promises'

/** Disposed of before `stop`, it leaves undecided whether the last batches were accepted. */
export interface BatchLoad extends AsyncDisposable {
  /** The ids of accepted batches. */
  readonly jobIds: string[]
  stop(): Promise<void>
}

const callersTogether = 4
/** Of these, one is always broken. */
const urlsOfBatch = 20

/**
 * Callers who submit a batch when the one before has ended, cancel some of them, and run failed pages of
 * others again.
 */
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
  let isAbandoned = false
  const callers = Array.from({ length: callersTogether }, call)
  return {
    jobIds,
    async stop() {
      isStopping = true
      await Promise.all(callers)
    },
    async [Symbol.asyncDispose]() {
      isAbandoned = true
      await this.stop()
    },
  }

  async function call(): Promise<void> {
    while (!isStopping) {
      submittedCount += 1
      const id = await submit(`batch-${submittedCount}`)
      if (!id) return
      jobIds.push(id)
      const drawn = options.chance()
      if (drawn < 0.2) await insist('DELETE', `/${id}`, isDone(202, 409))
      await insist('GET', `/${id}`, ({ status, body }) => status === 404 || body.completed_at)
      // 410: the results of this batch are no longer kept.
      if (drawn >= 0.7) await insist('POST', `/${id}/retry-failed`, isDone(202, 404, 409, 410))
      await pause(options.pauseMsMax * options.chance())
    }
  }

  async function submit(key: string): Promise<string | undefined> {
    const paths = Array.from({ length: urlsOfBatch }, (_, index) =>
      index === 7 ? `/bad-${key}` : `/${key}-${index}`,
    )
    const body = {
      urls: paths.map((path) => options.originUrl + path),
      callback_url: `${options.receiverUrl}/in`,
      configurations: { retries: { useRetries: false } },
    }
    const response = await insist('POST', '', isDone(202), body, { 'idempotency-key': key })
    return response?.body.job_id
  }

  /** Repeats a request, with the same key if it has one, until the response is the one that is wanted. */
  async function insist(
    method: string,
    path: string,
    isWanted: (response: BatchResponse) => boolean,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<BatchResponse | undefined> {
    while (!isAbandoned) {
      const response = await ask(method, path, body, headers)
      if (response && isWanted(response)) return response
      await pause(100)
    }
    return undefined
  }

  /** Undefined without a response. */
  async function ask(
    method: string,
    path: string,
    body?: object,
    headers = {},
  ): Promise<BatchResponse | undefined> {
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

interface BatchResponse {
  status: number
  body: ReturnType<typeof JSON.parse>
}

const isDone =
  (...statuses: readonly number[]) =>
  ({ status }: BatchResponse): boolean =>
    statuses.includes(status)
