import type { Log } from '../../runtime/log.ts'
import { sortableId } from '../../runtime/sortable-id.ts'
import type { Database } from '../../storage/database.ts'
import type { Statement } from '../../storage/statement.ts'
import {
  type ListeningPort,
  type ListeningPortRow,
  listListeningPorts,
  putListeningPort,
  removeListeningPort,
  removeListeningPorts,
} from '../../storage/tables/listening-ports.ts'
import { createHeartbeatWatch } from './heartbeat-watch.ts'
import {
  isOnThisMachine,
  isOwnListener,
  isUnspecified,
  type OwnListenerLookup,
  type OwnListeners,
} from './own-listeners.ts'

/** The listening ports of every process on this store, which the egress guard refuses (SSRF). */
export interface ListeningPorts extends OwnListenerLookup, AsyncDisposable {
  /** The addresses of this machine's interfaces, as of the last poll. */
  ownAddresses(): ReadonlySet<string>
  /** Refuses a port in this process only, until disposed. */
  add(port: number): Disposable
  /** Refuses it here at once, and in every process once the promise resolves: the store has it then. */
  announce(listening: ListeningPort): Promise<void>
}

interface ListeningPortsParts {
  db: Database
  log: Log
  /** The ids of this process's keys, which a key rotation reads. */
  keyIds: readonly string[]
  /** The addresses of this machine's interfaces now. */
  listOwnAddresses(): readonly string[]
  pollIntervalMs?: number
  /** Identifies this process among those that share the store; a new one by default. */
  processId?: string
}

const readDeadlineMs = 1_000
/**
 * Ten minutes, because a suspended process still listens when it resumes. The price is small: the port of a dead
 * process stays refused for that long.
 */
const silentPollsMax = 600
const pollsPerHeartbeat = 60
/** For key rotation only. Silent rows are found by counting polls, because clocks may be changed. */
export const listeningPortTtlMs = 600_000

export async function startListeningPorts(parts: ListeningPortsParts): Promise<ListeningPorts> {
  const { db, log, keyIds, listOwnAddresses, pollIntervalMs = 1_000 } = parts
  const { processId = sortableId() } = parts
  const added = new Set<number>()
  const announced: ListeningPort[] = []
  const findWithoutHeartbeat = createHeartbeatWatch(silentPollsMax)
  let recorded: readonly ListeningPortRow[] = await db.run(listListeningPorts())
  // Every poll reads them again: interfaces change while a process runs.
  let ownAddresses = new Set(listOwnAddresses())
  let known = collectKnown()
  let pollsUntilHeartbeat = pollsPerHeartbeat
  let isClosed = false
  let timer = setTimeout(poll, pollIntervalMs).unref()

  return {
    ownAddresses: () => ownAddresses,
    isOwn: (address, port) => isOwnListener(known, address, port),
    refreshFor: (address) => (isOnThisMachine(known.ownAddresses, address) ? read() : undefined),
    add(port) {
      added.add(port)
      return { [Symbol.dispose]: () => void added.delete(port) }
    },
    async announce(listening) {
      announced.push(listening)
      known = collectKnown()
      await db.transaction(heartbeat())
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await db.run(removeListeningPorts(processId)).catch((error) => {
        log.debug(
          { err: error },
          'Failed to remove the listening ports; other processes will remove them.',
        )
      })
    },
  }

  function collectKnown(): OwnListeners {
    const all = [...recorded, ...announced]
    const ports = new Set(all.map(({ port }) => port))
    return {
      ports: { has: (port) => ports.has(port) || added.has(port) },
      endpoints: new Set(all.map(({ address, port }) => `${address} ${port}`)),
      ownAddresses,
    }
  }

  async function poll(): Promise<void> {
    ownAddresses = listAgain(parts, ownAddresses)
    const isRead = await read()
    pollsUntilHeartbeat -= 1
    const silent = isRead ? findWithoutHeartbeat(recorded) : []
    const isDue = pollsUntilHeartbeat <= 0 || silent.length > 0 || (isRead && isOwnRowMissing())
    if (isDue && !isClosed) await renew(silent)
    if (!isClosed) timer = setTimeout(poll, pollIntervalMs).unref()
  }

  /** False if the store cannot be read; the ports read last stay refused. */
  async function read(): Promise<boolean> {
    let isRead = true
    try {
      recorded = await db.run(listListeningPorts(), { deadlineMs: readDeadlineMs })
    } catch (error) {
      isRead = false
      log.debug({ err: error }, 'Failed to read the listening ports; the last known stay refused.')
    }
    known = collectKnown()
    return isRead
  }

  /** Whether a row of this process is missing: another process removed it, or an interface is new. */
  function isOwnRowMissing(): boolean {
    const own = recorded.filter((row) => row.processId === processId)
    const endpoints = new Set(own.map(({ address, port }) => `${address} ${port}`))
    return ownEndpoints().some(({ address, port }) => !endpoints.has(`${address} ${port}`))
  }

  async function renew(silent: readonly ListeningPortRow[]): Promise<void> {
    try {
      await db.transaction([...heartbeat(), ...silent.map(removeListeningPort)])
      pollsUntilHeartbeat = pollsPerHeartbeat
    } catch (error) {
      log.debug({ err: error }, 'Failed to renew the listening ports; the next poll retries.')
    }
  }

  function heartbeat(): Statement<never>[] {
    const untilMs = db.nowMs() + listeningPortTtlMs
    return ownEndpoints().map((endpoint) =>
      putListeningPort({ ...endpoint, processId, keyIds, untilMs }),
    )
  }

  function ownEndpoints(): ListeningPort[] {
    return announced.flatMap((listening) => endpointsOf(listening, ownAddresses))
  }
}

/** Listing the interfaces takes a file descriptor; without one, the addresses known before count. */
function listAgain(
  { listOwnAddresses, log }: Pick<ListeningPortsParts, 'listOwnAddresses' | 'log'>,
  known: Set<string>,
): Set<string> {
  try {
    return new Set(listOwnAddresses())
  } catch (error) {
    log.debug({ err: error }, 'Failed to list the interfaces; the last known addresses count.')
    return known
  }
}

/** The endpoints others could connect to: a listener on all addresses has one at each of them. */
function endpointsOf(
  { address, port }: ListeningPort,
  ownAddresses: ReadonlySet<string>,
): ListeningPort[] {
  const addresses = isUnspecified(address) ? [address, ...ownAddresses] : [address]
  return addresses.map((one) => ({ address: one, port }))
}
