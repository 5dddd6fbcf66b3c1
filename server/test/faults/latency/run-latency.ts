import { setTimeout as pause } from 'node:timers/promises'
import { openColumn } from '../../../src/storage/secrets/sealed-columns.ts'
import { sql } from '../../../src/storage/statement.ts'
import { callbackPath } from '../../support/scrape-calls.ts'
import type { TestAccount } from '../../support/test-service.ts'
import { until } from '../../support/until.ts'
import { type FaultService, startFaultService } from '../fault-service.ts'
import { sendResponse, silent, type WireAnswer } from '../hostile/raw-responders.ts'
import { cleanupScopeOf, startRespondingPeer } from '../hostile/start-peers.ts'

export interface LatencyOptions {
  databaseUrl?: string | undefined
  /** How often the two phases alternate. */
  rounds: number
  /** Duration of each phase. */
  ms: number
  /** Rate of each of the two accounts. */
  perSecond: number
}

/** From the end of a task, before its commit, to the sending of its callback. */
interface Latency {
  count: number
  p50Ms: number
  p99Ms: number
}

export interface LatencyReport {
  /** Of the neighbour: with all receivers responding, and with half of the other's hanging. */
  calm: Latency
  beside: Latency
  /** Callbacks of the neighbour that needed more than one attempt. */
  failedCount: number
  hungCount: number
}

const receiversPerAccount = 8
const deliveredWithinMs = 60_000

/** Two accounts at the same rate; in every other phase half of the first one's receivers hang. */
export async function runLatency(options: LatencyOptions): Promise<LatencyReport> {
  await using resources = new AsyncDisposableStack()
  const stage = cleanupScopeOf(resources)
  const startReceivers = (answerOf: (index: number) => WireAnswer) =>
    Promise.all(
      Array.from({ length: receiversPerAccount }, async (_, index) => {
        const port = await startRespondingPeer(stage, answerOf(index))
        return `http://127.0.0.1:${port}/`
      }),
    )
  const good = sendResponse('', '')
  const url = `http://127.0.0.1:${await startRespondingPeer(stage, sendResponse('<p>a page</p>'))}/`
  const service = await startFaultService(resources, options)
  const [first, neighbour] = [
    await service.createAccount('first'),
    await service.createAccount('neighbour'),
  ]
  const ofNeighbour = await startReceivers(() => good)
  const ofFirst = await startReceivers(() => good)
  const halfHanging = await startReceivers((index) => (index % 2 === 0 ? silent : good))

  const phase = async (receivers: readonly string[]): Promise<Phase> => {
    const [ids] = await Promise.all([
      submit(neighbour, { url, receivers: ofNeighbour, ...options }),
      submit(first, { url, receivers, ...options }),
    ])
    return readLatency(service, ids)
  }
  // Warm-up: the first requests of a process are slower.
  await submit(neighbour, { url, receivers: ofNeighbour, ms: 3_000, perSecond: 20 })
  const [calm, beside]: [Phase[], Phase[]] = [[], []]
  for (let round = 0; round < options.rounds; round += 1) {
    calm.push(await phase(ofFirst))
    beside.push(await phase(halfHanging))
  }
  return {
    calm: middleOf(calm),
    beside: middleOf(beside),
    failedCount: [...calm, ...beside].reduce((sum, { failedCount }) => sum + failedCount, 0),
    hungCount: await countHung(service, halfHanging),
  }
}

interface Phase extends Latency {
  failedCount: number
}

/** Sums the counts; the times are those of the median round. */
function middleOf(phases: readonly Phase[]): Latency {
  const middle = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
  return {
    count: phases.reduce((sum, { count }) => sum + count, 0),
    p50Ms: middle(phases.map(({ p50Ms }) => p50Ms)),
    p99Ms: middle(phases.map(({ p99Ms }) => p99Ms)),
  }
}

async function submit(
  account: Pick<TestAccount, 'call'>,
  load: { url: string; receivers: readonly string[]; ms: number; perSecond: number },
): Promise<string[]> {
  const count = Math.ceil((load.ms * load.perSecond) / 1_000)
  const startedAtMs = performance.now()
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await pause(Math.max(0, startedAtMs + (index * 1_000) / load.perSecond - performance.now()))
      const callbackUrl = load.receivers[index % load.receivers.length]
      const answer = await account.call(`POST ${callbackPath}`, { url: load.url, callbackUrl })
      return String(answer.json().requestId)
    }),
  )
}

interface SentRow {
  task_id: string
  waited_ms: number
  error: string | null
}

async function readLatency({ db }: FaultService, ids: readonly string[]): Promise<Phase> {
  const wanted = new Set(ids)
  const since = ids.reduce((least, id) => (id < least ? id : least))
  let rows: SentRow[] = []
  await until(
    async () => {
      const all = await db.run(sql<SentRow>`
        select tasks.id as task_id, delivery_attempts.error as error,
               delivery_attempts.started_at_ms - tasks.completed_at_ms as waited_ms
        from tasks join deliveries on deliveries.task_id = tasks.id
        join delivery_attempts on delivery_id = deliveries.id
        where tasks.id >= ${since} and number = 1`)
      rows = all.filter(({ task_id }) => wanted.has(task_id))
      return rows.length === wanted.size
    },
    { withinMs: deliveredWithinMs },
  )
  const waited = rows.map(({ waited_ms }) => Number(waited_ms)).toSorted((a, b) => a - b)
  const at = (share: number) => waited[Math.floor(waited.length * share)] ?? Number.NaN
  return {
    count: waited.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    failedCount: rows.filter(({ error }) => error !== null).length,
  }
}

/** How many callbacks were sent to hanging receivers. */
async function countHung(
  { db, sealer }: FaultService,
  receivers: readonly string[],
): Promise<number> {
  const rows = await db.run(sql<{ id: string; account_id: string; callback_url: string }>`
    select id, account_id, callback_url from tasks where callback_url is not null`)
  const urls = rows.map(({ id, account_id: accountId, callback_url }) =>
    openColumn(sealer, 'tasks.callback_url', { id, accountId }, callback_url),
  )
  const hanging = new Set(receivers.filter((_, index) => index % 2 === 0))
  return urls.filter((url) => hanging.has(url)).length
}
