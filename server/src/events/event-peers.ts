import type { Log } from '../runtime/log.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import { notify, type Statement } from '../storage/statement.ts'
import type { TaskChange } from './task-change.ts'

/** Which accounts have listeners in a process, so that others report what happens in them. */
const watchedChannel = 'events_watched'
/** What happened in accounts that have listeners in other processes. */
const changedChannel = 'events_changed'

const announceIntervalMs = 2_000
/** Three announcements may get lost before a process is taken for gone. */
const silentMsMax = 7_000
const sendIntervalMs = 100
/** About 120 bytes each; a notification may have 7,999. */
const changesPerNotice = 50
const accountsPerNotice = 150

interface EventPeersParts {
  db: Database
  log: Log
  /** The accounts with listeners in this process. */
  watchedHere(): string[]
  onTaskChanged(accountId: string, change: TaskChange): void
  onJobChanged(accountId: string, jobId: string): void
  /** A notification was lost, or a process that reported changes died. */
  onMissed(): void
}

/** A change on its way to another process; a change of a job has no status. */
type SentChange = [accountId: string, id: string, jobId: string | null, status: string | null]

interface ChangeNotice {
  from: string
  /** Counts the notices of a process, so that a lost one is noticed. */
  number: number
  changes: SentChange[]
  isLast?: true
}

interface WatchNotice {
  from: string
  accounts: string[]
  /** The sender has just started and wants to hear from everybody. */
  isNew?: true
}

/**
 * Carries changes between the processes of a shared store, through its notifications. A process sends a
 * change only while another one has listeners for its account, and none of this is in the transaction
 * of the change: on PostgreSQL, commits that notify wait for each other.
 */
export class EventPeers implements AsyncDisposable {
  readonly #parts: EventPeersParts
  readonly #id = sortableId()
  /** By account: until when another process listens. */
  readonly #watchedElsewhere = new Map<string, number>()
  readonly #senders = new Map<string, { number: number; seenAtMs: number }>()
  readonly #stack = new DisposableStack()
  #outgoing: SentChange[] = []
  #number = 0
  #sendTimer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(parts: EventPeersParts) {
    this.#parts = parts
    const { db } = parts
    if (!db.isShared) return
    this.#stack.use(db.listen(watchedChannel, (text) => this.#receive(text, this.#onWatched)))
    const changes = this.#stack.use(
      db.listen(changedChannel, (text) => this.#receive(text, this.#onChanged)),
    )
    const timer = setInterval(() => void this.#keepAlive(), announceIntervalMs).unref()
    this.#stack.defer(() => clearInterval(timer))
    void changes.whenActive.then(() => this.#send([watching(this.#id, [], true)]))
  }

  /** Whether another process has a listener for the account. */
  isWatchedElsewhere(accountId: string): boolean {
    return this.#watchedElsewhere.size > 0 && this.#watchedElsewhere.has(accountId)
  }

  taskChanged(accountId: string, { taskId, jobId, status }: TaskChange): void {
    this.#sendLater([accountId, taskId, jobId, status])
  }

  jobChanged(accountId: string, jobId: string): void {
    this.#sendLater([accountId, jobId, null, null])
  }

  /** Resolves once the other processes were told that this one has listeners for the account. */
  async announce(accountId: string): Promise<void> {
    if (this.#parts.db.isShared) await this.#send([watching(this.#id, [accountId])])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stack.dispose()
    clearTimeout(this.#sendTimer)
    if (!this.#parts.db.isShared) return
    await this.#flush({ isLast: true })
    await this.#sending
  }

  #sendLater(change: SentChange): void {
    this.#outgoing.push(change)
    this.#sendTimer ??= setTimeout(() => void this.#flush(), sendIntervalMs).unref()
  }

  #flush(last: { isLast?: true } = {}): Promise<void> {
    this.#sendTimer = undefined
    const changes = this.#outgoing
    this.#outgoing = []
    const notices: Statement<never>[] = []
    for (let from = 0; from < changes.length; from += changesPerNotice) {
      notices.push(this.#changeNotice(changes.slice(from, from + changesPerNotice)))
    }
    if (last.isLast && this.#number > 0) notices.push(this.#changeNotice([], last))
    return this.#send(notices)
  }

  #changeNotice(changes: SentChange[], last: { isLast?: true } = {}): Statement<never> {
    this.#number += 1
    const notice: ChangeNotice = { from: this.#id, number: this.#number, changes, ...last }
    return notify(changedChannel, JSON.stringify(notice))
  }

  /** One after the other, so that notices arrive in the order of their numbers. */
  #send(notices: Statement<never>[]): Promise<void> {
    if (notices.length === 0) return Promise.resolve()
    const { db, log } = this.#parts
    this.#sending = this.#sending
      .then(async () => void (await db.transaction(notices)))
      .catch((error) =>
        log.debug({ err: error }, 'Failed to tell other processes of events; listeners get reset.'),
      )
    return this.#sending
  }

  /** Tells the others who listens here, and those who listen that this process is alive. */
  async #keepAlive(): Promise<void> {
    const nowMs = performance.now()
    for (const [accountId, untilMs] of this.#watchedElsewhere) {
      if (untilMs < nowMs) this.#watchedElsewhere.delete(accountId)
    }
    for (const [id, { seenAtMs }] of this.#senders) {
      if (nowMs - seenAtMs <= silentMsMax) continue
      this.#senders.delete(id)
      this.#parts.onMissed()
    }
    const isReporting = this.#watchedElsewhere.size > 0
    await this.#send([...this.#announcements(), ...(isReporting ? [this.#changeNotice([])] : [])])
  }

  #announcements(): Statement<never>[] {
    const accounts = this.#parts.watchedHere()
    const notices: Statement<never>[] = []
    for (let from = 0; from < accounts.length; from += accountsPerNotice) {
      notices.push(watching(this.#id, accounts.slice(from, from + accountsPerNotice)))
    }
    return notices
  }

  #receive<Notice extends { from: string }>(text: string, handle: (notice: Notice) => void): void {
    const notice = JSON.parse(text) as Notice
    if (notice.from !== this.#id) handle(notice)
  }

  readonly #onWatched = ({ accounts, isNew }: WatchNotice): void => {
    const untilMs = performance.now() + silentMsMax
    for (const accountId of accounts) this.#watchedElsewhere.set(accountId, untilMs)
    if (isNew) void this.#send(this.#announcements())
  }

  readonly #onChanged = ({ from, number, changes, isLast }: ChangeNotice): void => {
    const before = this.#senders.get(from)
    if (before && number !== before.number + 1) this.#parts.onMissed()
    if (isLast) this.#senders.delete(from)
    else this.#senders.set(from, { number, seenAtMs: performance.now() })
    for (const [accountId, id, jobId, status] of changes) {
      if (status === null) this.#parts.onJobChanged(accountId, id)
      else {
        const change = { taskId: id, jobId, status: status as TaskChange['status'] }
        this.#parts.onTaskChanged(accountId, change)
      }
    }
  }
}

function watching(from: string, accounts: string[], isNew = false): Statement<never> {
  const notice: WatchNotice = { from, accounts, ...(isNew && { isNew }) }
  return notify(watchedChannel, JSON.stringify(notice))
}
