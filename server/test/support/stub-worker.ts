import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Page, Screenshot } from '../../src/domain/scrape/page.ts'
import { ScrapeOptions } from '../../src/domain/scrape/scrape-options.ts'
import type { AttemptRecord } from '../../src/domain/task/attempt.ts'
import type { Task, TaskProgress } from '../../src/domain/task/task.ts'
import { startContentWorkers } from '../../src/formats/workers/content-workers.ts'
import type { Lease } from '../../src/queue/lease.ts'
import { startQueue } from '../../src/queue/queue.ts'
import { sortableId } from '../../src/runtime/sortable-id.ts'
import type { Database } from '../../src/storage/database.ts'
import { findAccountByUsername } from '../../src/storage/tables/accounts.ts'
import { insertTask } from '../../src/storage/tables/tasks.ts'
import { formFor, pageToPresent, toResult } from '../../src/tasks/results/result-store.ts'
import { Settler } from '../../src/tasks/settle.ts'
import { WaitingCallers } from '../../src/tasks/waiting-callers.ts'
import { createTaskLinks } from '../../src/wire/tasks/links.ts'
import { closedPortUrl } from './scrape-calls.ts'
import { silentEvents } from './silent-events.ts'
import type { TestAccount, TestService } from './test-service.ts'
import { silentLog } from './test-store.ts'

/** Ends tasks of a service as its worker would, with the page or the error that the test gives. */
export interface StubWorker {
  /** Creates a task, ends it and returns its id. */
  finishTask(account: TestAccount, given?: TaskOutcome): Promise<string>
  /** Creates a task that nobody runs, and returns its id. */
  createOpenTask(account: TestAccount, given?: TaskOutcome): Promise<string>
}

interface TaskOutcome {
  kind?: 'callback' | 'realtime'
  callbackUrl?: string
  configurations?: Record<string, unknown>
  /** Fields of the page that differ from an empty one; with `error` the task fails instead. */
  page?: Partial<Page>
  error?: TaskProgress['error']
  timings?: AttemptRecord['timings']
}

interface StubTask {
  task: Task
  given: TaskOutcome
  ended(): void
}

const lane = 'browser'
const quietQueue = {
  log: silentLog,
  leaseMs: 20_000,
  graceMs: 1_000,
  onFenced: () => undefined,
  onReclaimed: () => undefined,
}

/** Starts the stub worker. The service itself must not have the role `worker`. */
export async function startStubWorker(t: TestContext, service: TestService): Promise<StubWorker> {
  const { db, sealer, linkSigner, digest } = await service.openBeside()
  const stack = new AsyncDisposableStack()
  t.after(() => stack.disposeAsync())
  const contents = stack.use(startContentWorkers({ count: 1, log: silentLog }))
  const links = createTaskLinks({ linkSigner, publicUrl: () => service.url })
  const find = async () => undefined
  const callers = stack.use(new WaitingCallers({ db, log: silentLog, find }))
  const queue = stack.use(startQueue({ db, ...quietQueue }))
  const settler = new Settler({
    db,
    sealer,
    digest,
    deliveries: queue.producerFor('delivery'),
    callers,
    links,
    rollups: { count: () => undefined },
    events: silentEvents,
    endedTasks: { report: () => undefined },
  })
  const producer = queue.openLane<StubTask>({
    lane,
    slotsMax: 4,
    limitOf: () => ({ max: Number.POSITIVE_INFINITY, isGlobal: false }),
    work,
  })

  return {
    async finishTask(account, given = {}) {
      const task = await newTask(db, account, given)
      const { promise, resolve } = Promise.withResolvers<void>()
      const pending = producer.enqueue({ id: task.id, workId: task.id, accountId: task.accountId })
      await db.transaction([insertTask(sealer, task), pending.statement])
      pending.committed({ task, given, ended: resolve })
      await promise
      return task.id
    },
    async createOpenTask(account, given = {}) {
      const task = await newTask(db, account, given)
      await db.run(insertTask(sealer, task))
      return task.id
    },
  }

  async function work(lease: Lease, preloaded: StubTask | undefined): Promise<void> {
    assert(preloaded, 'Only tasks of this stub worker are in this lane.')
    const { task, given, ended } = preloaded
    const { error = null } = given
    const page = { ...emptyPage, ...given.page }
    const form = formFor(task)
    const content = await contents.present(pageToPresent(task, page, form), {
      accountId: task.accountId,
    })
    const progress: TaskProgress = {
      state: error ? 'failed' : 'completed',
      attempts: 1,
      attemptLog: [{ ...attempt, timings: given.timings ?? null }],
      error,
      startedAtMs: lease.startedAtMs,
      completedAtMs: db.nowMs(),
    }
    const result = error
      ? null
      : toResult(links, { ...task, ...progress }, { page, content, engine: 'browser' })
    const finished = { task: { ...task, ...progress }, result }
    assert.ok(await settler.end(lease, finished, { page: error ? undefined : page }))
    ended()
  }
}

async function newTask(db: Database, account: TestAccount, given: TaskOutcome): Promise<Task> {
  const [owner] = await db.run(findAccountByUsername(account.username))
  assert(owner)
  const kind = given.kind ?? 'callback'
  return {
    id: sortableId(),
    accountId: owner.id,
    callbackUrl: kind === 'callback' ? (given.callbackUrl ?? closedPortUrl) : null,
    callsBackOnFailure: true,
    request: {
      url: 'http://target.test/',
      options: ScrapeOptions.parse(given.configurations ?? {}),
      timeoutMs: 60_000,
      forwardedHeaders: {},
      purpose: { kind },
    },
    metadata: null,
    createdAtMs: db.nowMs(),
  }
}

const attempt: Omit<AttemptRecord, 'timings'> = {
  engine: 'browser',
  proxy: null,
  outcome: 'page',
  statusCode: 200,
  startedAtMs: 0,
  durationMs: 7,
  queueMs: 1,
}

const emptyPage: Page = {
  statusCode: 200,
  url: 'http://target.test/end',
  headers: { 'content-type': 'text/html' },
  cookies: [],
  body: Buffer.from('<p>cod</p>'),
  isText: true,
  bandwidth: { received: 3, sent: 2, requests: 1 },
  requests: [],
}

/** Placeholder bytes instead of an image: the service never decodes them. */
export const imageOf = (type: Screenshot['type'], bytesCount = 1_000): Screenshot => ({
  type,
  width: 1280,
  height: 800,
  bytes: Buffer.alloc(bytesCount, `an image of the type ${type} \xff\x00`, 'latin1'),
})

/** The scrape options that ask for this screenshot. */
export const screenshotOptions = (
  { type }: Pick<Screenshot, 'type'>,
  encoding: 'base64' | 'binary',
): Record<string, unknown> => ({ screenshot: { use: true, options: { type, encoding } } })
