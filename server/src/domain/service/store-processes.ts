import type { Lane } from '../task/lane.ts'

/** A process of the service, as the store knows it. */
export interface StoreProcess {
  id: string
  lanes: { lane: Lane; slots: number }[]
  /** Addresses with ports. */
  listensOn: string[]
  lastSeenAtMs: number
}

/** What processes have written about themselves, at their last heartbeat. */
export interface ProcessTraces {
  lanes: readonly { processId: string; lane: Lane; slots: number; seenAtMs: number }[]
  ports: readonly { processId: string; address: string; port: number; seenAtMs: number }[]
}

/** Every process that left a trace, by its id: the oldest first. */
export function listStoreProcesses({ lanes, ports }: ProcessTraces): StoreProcess[] {
  const ids = [...new Set([...lanes, ...ports].map(({ processId }) => processId))].sort()
  return ids.map((id) => {
    const own = {
      lanes: lanes.filter(({ processId }) => processId === id),
      ports: ports.filter(({ processId }) => processId === id),
    }
    return {
      id,
      lanes: own.lanes.map(({ lane, slots }) => ({ lane, slots })).sort(byLane),
      listensOn: own.ports.map(toHostAndPort).sort(),
      lastSeenAtMs: Math.max(...[...own.lanes, ...own.ports].map(({ seenAtMs }) => seenAtMs)),
    }
  })
}

const byLane = (one: { lane: Lane }, other: { lane: Lane }): number =>
  one.lane < other.lane ? -1 : 1

const toHostAndPort = ({ address, port }: { address: string; port: number }): string =>
  `${address.includes(':') ? `[${address}]` : address}:${port}`
