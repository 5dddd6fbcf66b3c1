import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { LedgerEntry } from '../ledger/ledger-load.ts'
import type { LedgerArrival } from '../ledger/ledger-peers.ts'
import type { FailedCall } from './callers.ts'
import type {
  CallingOptions,
  DuplicateOptions,
  DuplicateResponse,
  Progress,
  SubmitOptions,
} from './world-commands.ts'

/** Times are of the wall clock, which all processes of the machine share. */
interface Books {
  entries: LedgerEntry[]
  arrivals: LedgerArrival[]
  failedCalls: FailedCall[]
}

/** Origin, receivers and callers in their own process, so that a fault does not stall them. */
export interface World extends AsyncDisposable {
  readonly receiverUrls: readonly string[]
  /** Callers submit task after task until `stopCalling`, which awaits the last response. */
  startCalling(options: CallingOptions): Promise<void>
  stopCalling(): Promise<number>
  books(): Promise<Books>
  /** Resolves when all are accepted, with the progress of the others by then. */
  submit(options: SubmitOptions): Promise<Progress>
  /** How many others came between that moment and the last one with the prefix. */
  countPassedBy(prefix: string, since: Progress): Promise<Progress>
  /** How many callbacks with the prefix have arrived. */
  countArrived(prefix: string): Promise<number>
  /** From submission to callback, for tasks with the prefix whose callback has arrived. */
  latenciesMs(prefix: string): Promise<number[]>
  /** How often the origin got requests for pages with the prefix. */
  countAsked(prefix: string): Promise<number>
  sendDuplicates(options: DuplicateOptions): Promise<DuplicateResponse[]>
}

export const wallClockMs = (): number => performance.timeOrigin + performance.now()

export async function startWorld(callbackSecret: string): Promise<World> {
  const child = fork(fileURLToPath(new URL('./world-program.ts', import.meta.url)), [
    callbackSecret,
  ])
  let asking: Promise<unknown> = Promise.resolve()
  const ask = <Answer>(kind: string, options: object = {}): Promise<Answer> => {
    const answered = asking.then(async () => {
      child.send({ kind, ...options })
      const [answer] = await once(child, 'message')
      if (answer.error) throw new Error(`${kind}: ${answer.error}`)
      return answer.value as Answer
    })
    asking = answered.catch(() => undefined)
    return answered
  }
  const { receiverUrls } = await ask<{ receiverUrls: string[] }>('urls')
  return {
    receiverUrls,
    startCalling: (options) => ask('startCalling', options),
    stopCalling: () => ask('stopCalling'),
    books: () => ask('books'),
    submit: (options) => ask('submit', options),
    countPassedBy: (prefix, since) => ask('countPassedBy', { prefix, since }),
    countArrived: (prefix) => ask('countArrived', { prefix }),
    latenciesMs: (prefix) => ask('latenciesMs', { prefix }),
    countAsked: (prefix) => ask('countAsked', { prefix }),
    sendDuplicates: (options) => ask('sendDuplicates', options),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
