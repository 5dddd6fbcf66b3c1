import type { Log } from '../../runtime/log.ts'
import { sortableId } from '../../runtime/sortable-id.ts'
import type { Database } from '../../storage/database.ts'
import {
  type ListeningPort,
  type ListeningPortRow,
  listListeningPorts,
  putListeningPort,
  removeListeningPort,
  removeListeningPorts,
} from '../../storage/listening-ports-table.ts'
import type { Statement } from '../../storage/statement.ts'
import {
  isOnThisMachine,
  isOwnListener,
  isUnspecified,
  type OwnListenerLookup,
  type OwnListeners,
} from './own-listeners.ts'
import { createSilentRows } from './silent-rows.ts'

/** The listening ports of this process and of every other on the store, for the egress guard to refuse. */
export interface ListeningPorts extends OwnListenerLookup, AsyncDisposable {
  /** Of this machine's interfaces, as of the last poll. */
  ownAddresses(): ReadonlySet<string>
  /** A port that only this process needs to know of; known from now on until disposed. */
  add(port: number): Disposable
  /** Known here from now on, and in the store when it resolves: from then on no process connects to it. */
  announce(listening: ListeningPort): Promise<void>
}

interface ListeningPortsParts {
  db: Database
  log: Log
  /** The ids of the keys this process has, for a rotation to see. */
  keyIds: readonly string[]
  /** The addresses of this machine's interfaces now. */
  listOwnAddresses(): readonly string[]
  pollIntervalMs?: number
}

const readDeadlineMs = 1_000
/**
 * Ten minutes, much longer than a process is ever silent: one that was suspended still listens when it goes on. A
 * dead one costs no more than its port's being refused that long.
 */
const silentPollsMax = 600
const pollsPerHeartbeat = 60
/** What a row says of itself. No process goes by it: the clocks of processes may be set while they run. */
const rowTtlMs = 600_000

export async function startListeningPorts(parts: ListeningPortsParts): Promise<ListeningPorts> {
  const { db, log, keyIds, listOwnAddresses, pollIntervalMs = 1_000 } = parts
  const processId = sortableId()
  const added = new Set<number>()
  const announced: ListeningPort[] = []
  const findSilent = createSilentRows(silentPollsMax)
  let recorded: readonly ListeningPortRow[] = await db.run(listListeningPorts())
  // Read again by every poll: interfaces come and go while a process runs.
  let ownAddresses = new Set(listOwnAddresses())
  let known = know()
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
      known = know()
      await db.transaction(heartbeat())
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(timer)
      await db.run(removeListeningPorts(processId)).catch((error) => {
        log.debug(
          { err: error },
          'Listening ports were not removed; other processes remove them later.',
        )
      })
    },
  }

  function know(): OwnListeners {
    const all = [...recorded, ...announced]
    const ports = new Set(all.map(({ port }) => port))
    return {
      ports: { has: (port) => ports.has(port) || added.has(port) },
      places: new Set(all.map(({ address, port }) => `${address} ${port}`)),
      ownAddresses,
    }
  }

  async function poll(): Promise<void> {
    ownAddresses = new Set(listOwnAddresses())
    const isRead = await read()
    pollsUntilHeartbeat -= 1
    const silent = isRead ? findSilent(recorded) : []
    const isDue = pollsUntilHeartbeat <= 0 || silent.length > 0 || (isRead && isOneMissing())
    if (isDue && !isClosed) await renew(silent)
    if (!isClosed) timer = setTimeout(poll, pollIntervalMs).unref()
  }

  /** False while the store cannot be read; what was read last stays in force. */
  async function read(): Promise<boolean> {
    let isRead = true
    try {
      recorded = await db.run(listListeningPorts(), { deadlineMs: readDeadlineMs })
    } catch (error) {
      isRead = false
      log.debug({ err: error }, 'Listening ports were not read; those read last are still refused.')
    }
    known = know()
    return isRead
  }

  /** Of this process: another may have taken it for dead, or an interface is new. */
  function isOneMissing(): boolean {
    const own = recorded.filter((row) => row.processId === processId)
    const places = new Set(own.map(({ address, port }) => `${address} ${port}`))
    return ownPlaces().some(({ address, port }) => !places.has(`${address} ${port}`))
  }

  async function renew(silent: readonly ListeningPortRow[]): Promise<void> {
    try {
      await db.transaction([...heartbeat(), ...silent.map(removeListeningPort)])
      pollsUntilHeartbeat = pollsPerHeartbeat
    } catch (error) {
      log.debug({ err: error }, 'Listening ports were not renewed; the next poll tries again.')
    }
  }

  function heartbeat(): Statement<never>[] {
    const untilMs = db.nowMs() + rowTtlMs
    return ownPlaces().map((place) => putListeningPort({ ...place, processId, keyIds, untilMs }))
  }

  function ownPlaces(): ListeningPort[] {
    return announced.flatMap((listening) => placesOf(listening, ownAddresses))
  }
}

/** Where others would find it: whoever listens on all addresses of a machine is found at each of them. */
function placesOf(
  { address, port }: ListeningPort,
  ownAddresses: ReadonlySet<string>,
): ListeningPort[] {
  const addresses = isUnspecified(address) ? [address, ...ownAddresses] : [address]
  return addresses.map((one) => ({ address: one, port }))
}
