import type { Log } from '../runtime/log.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import {
  forgetListeningPorts,
  type ListeningPort,
  listListeningPorts,
  putListeningPort,
  removeListeningPorts,
} from '../storage/listening-ports.ts'
import type { Statement } from '../storage/statement.ts'
import {
  isOnThisMachine,
  isOwnListener,
  isUnspecified,
  type OwnListenerLookup,
  type OwnListeners,
} from './own-listeners.ts'

/** The listening ports of this process and of every other on the store, for the egress guard to refuse. */
export interface ListeningPorts extends OwnListenerLookup, AsyncDisposable {
  /** A port that only this process needs to know of; known from now on until disposed. */
  add(port: number): Disposable
  /** Known here from now on, and in the store when it resolves: from then on no process connects to it. */
  announce(listening: ListeningPort): Promise<void>
}

interface ListeningPortsParts {
  db: Database
  log: Log
  /** The addresses of this machine's interfaces now. */
  listOwnAddresses(): readonly string[]
}

const pollIntervalMs = 1_000
const readDeadlineMs = 1_000
/**
 * Much longer than a process is ever silent: one that was suspended still listens when it goes on. A dead one costs
 * no more than its port's being refused that long.
 */
const rowTtlMs = 600_000
const heartbeatIntervalMs = 60_000

export async function startListeningPorts(parts: ListeningPortsParts): Promise<ListeningPorts> {
  const { db, log, listOwnAddresses } = parts
  const processId = sortableId()
  const added = new Set<number>()
  const announced: ListeningPort[] = []
  await db.run(forgetListeningPorts(db.nowMs()))
  let recorded: readonly ListeningPort[] = await db.run(listListeningPorts())
  // Read again by every poll: interfaces come and go while a process runs.
  let ownAddresses = new Set(listOwnAddresses())
  let known = know()
  let heartbeatAtMs = performance.now() + heartbeatIntervalMs
  let isClosed = false
  let timer = setTimeout(poll, pollIntervalMs).unref()

  return {
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
          'Listening ports could not be removed; they expire by themselves.',
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
    await read()
    if (performance.now() >= heartbeatAtMs) await renew()
    if (!isClosed) timer = setTimeout(poll, pollIntervalMs).unref()
  }

  /** What was read last stays in force while the store cannot be read. */
  async function read(): Promise<void> {
    try {
      recorded = await db.run(listListeningPorts(), { deadlineMs: readDeadlineMs })
    } catch (error) {
      log.debug({ err: error }, 'Listening ports were not read; those read last are still refused.')
    }
    known = know()
  }

  async function renew(): Promise<void> {
    try {
      await db.transaction([...heartbeat(), forgetListeningPorts(db.nowMs())])
      heartbeatAtMs = performance.now() + heartbeatIntervalMs
    } catch (error) {
      log.debug({ err: error }, 'Listening ports were not renewed; the next poll tries again.')
    }
  }

  function heartbeat(): Statement<never>[] {
    const untilMs = db.nowMs() + rowTtlMs
    return announced
      .flatMap((listening) => placesOf(listening, ownAddresses))
      .map((place) => putListeningPort({ ...place, processId, untilMs }))
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
