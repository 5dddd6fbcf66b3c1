/** Callers who submit at a fixed rate (open loop): no response slows them down. */
import { connect, type Socket } from 'node:net'

interface LoadQuestion {
  serviceUrl: string
  apiKey: string
  originUrl: string
  receiverUrls: string[]
  perSecond: number
  ms: number
}

export interface LoadAnswer {
  sent: number
  byStatus: Record<string, number>
  /** Refusals without Retry-After. */
  withoutRetryAfter: number
  acceptedPaths: string[]
  p50Ms: number
  p99Ms: number
}

const tickMs = 10
const connectionsMax = 256

process.on('message', async (question: LoadQuestion) => {
  process.send?.(await run(question))
})

interface Submission {
  path: string
  dueAtMs: number
}

/**
 * Uses raw sockets, because the callers share the CPU with the service: an HTTP client would use
 * more of it than what it measures.
 */
async function run(question: LoadQuestion): Promise<LoadAnswer> {
  const { hostname, port } = new URL(question.serviceUrl)
  const latenciesMs: number[] = []
  const byStatus: Record<string, number> = {}
  const acceptedPaths: string[] = []
  const idle: Connection[] = []
  const waiting: Submission[] = []
  let [sent, answered, withoutRetryAfter, connections] = [0, 0, 0, 0]
  const { promise: allAnswered, resolve: onAllAnswered } = Promise.withResolvers<void>()
  const startedAtMs = performance.now()
  const timer = setInterval(() => {
    const nowMs = performance.now()
    const elapsedMs = Math.min(nowMs - startedAtMs, question.ms)
    // Catches up after a late timer tick.
    while (sent < (elapsedMs / 1_000) * question.perSecond) {
      submit({ path: `/over/${sent++}`, dueAtMs: nowMs })
    }
    if (elapsedMs === question.ms) clearInterval(timer)
  }, tickMs)
  await allAnswered
  for (const { socket } of idle) socket.destroy()
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
  return { sent, byStatus, withoutRetryAfter, acceptedPaths, p50Ms: at(0.5), p99Ms: at(0.99) }

  function submit(submission: Submission): void {
    const free = idle.pop() ?? open()
    if (free) free.send(submission)
    else waiting.push(submission)
  }

  function open(): Connection | undefined {
    if (connections === connectionsMax) return undefined
    connections += 1
    return new Connection(connect(Number(port), hostname), requestFor, (connection, outcome) => {
      settle(outcome)
      if (!outcome.isOpen) connections -= 1
      const next = waiting.shift()
      const again = outcome.isOpen ? connection : next && open()
      if (next && again) again.send(next)
      else if (outcome.isOpen) idle.push(connection)
    })
  }

  function settle({ submission, status, hasRetryAfter }: Outcome): void {
    latenciesMs.push(performance.now() - submission.dueAtMs)
    byStatus[status] = (byStatus[status] ?? 0) + 1
    if (status === '202') acceptedPaths.push(submission.path)
    else if (!hasRetryAfter) withoutRetryAfter += 1
    answered += 1
    if (answered === Math.ceil((question.ms / 1_000) * question.perSecond)) onAllAnswered()
  }

  function requestFor(path: string): string {
    const { originUrl, receiverUrls, apiKey } = question
    const receiverUrl = receiverUrls[Number(path.slice('/over/'.length)) % receiverUrls.length]
    const body = `{"url":"${originUrl}/page","callbackUrl":"${receiverUrl}${path}"}`
    return `POST /api/scraper/scrape/callback HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }
}

interface Outcome {
  submission: Submission
  status: string
  hasRetryAfter: boolean
  isOpen: boolean
}

/** A connection with one request at a time. */
class Connection {
  readonly socket: Socket
  readonly #requestFor: (path: string) => string
  readonly #onOutcome: (connection: Connection, outcome: Outcome) => void
  #submission: Submission | undefined
  #read = ''

  constructor(
    socket: Socket,
    requestFor: (path: string) => string,
    onOutcome: (connection: Connection, outcome: Outcome) => void,
  ) {
    this.socket = socket
    this.#requestFor = requestFor
    this.#onOutcome = onOutcome
    socket.setEncoding('latin1').setNoDelay(true)
    socket.on('data', (text: string) => this.#hear(text))
    socket.on('error', () => undefined)
    socket.on('close', () =>
      this.#end({ status: 'unanswered', hasRetryAfter: true, isOpen: false }),
    )
  }

  send(submission: Submission): void {
    this.#submission = submission
    this.socket.write(this.#requestFor(submission.path))
  }

  #hear(text: string): void {
    this.#read += text
    const headEnd = this.#read.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(this.#read) ?? []
    if (this.#read.length < headEnd + 4 + Number(length)) return
    const status = this.#read.slice(9, 12)
    const hasRetryAfter = /\r\nretry-after: /i.test(this.#read)
    this.#read = ''
    this.#end({ status, hasRetryAfter, isOpen: true })
  }

  #end(outcome: Omit<Outcome, 'submission'>): void {
    const submission = this.#submission
    this.#submission = undefined
    if (submission) this.#onOutcome(this, { submission, ...outcome })
  }
}
