import type { Lane } from '../domain/task/lane.ts'
import type { ConcurrencyLimit } from './concurrency-limits.ts'
import type { CrashIsolation } from './crash-isolation.ts'
import type { Lease } from './lease.ts'

export interface LaneOptions<Preloaded> {
  lane: Lane
  /** Where it changes: fewer end nothing, and the lane is to be woken when there are more. */
  slotsMax: number | (() => number)
  /**
   * Does the work and settles the lease. What the process knew already when it wrote the entry is
   * preloaded and need not be read again.
   */
  work(lease: Lease, preloaded: Preloaded | undefined): Promise<void>
  /**
   * How much memory it takes to keep what is preloaded while the entry waits in the store; undefined
   * where it must be read again, since it may have changed meanwhile.
   */
  preloadedBytes?(preloaded: Preloaded): number | undefined
  /** How much of what shares a concurrency key may be worked on at once. */
  limitOf(concurrencyKey: string): ConcurrencyLimit
  /** How many entries of one concurrency key may be claimed ahead of a slot. */
  prefetchMax?: number
  /** A task that has crashed so many processes is run with nothing beside it. */
  crashesBeforeIsolation?: number
  /** Shared by the lanes in which nothing is to run beside it; this lane only where none is given. */
  isolation?: CrashIsolation
  /** Whether others can find out that the lane is worked on, for lanes that not every worker can. */
  isAdvertised?: () => boolean
  /**
   * Work that takes longer than this releases its slot to others, but not its concurrency key: a silent
   * receiver must not hold up the rest. As many as there are slots may do so.
   */
  patienceMs?: number
}

export const slotsMaxOf = ({ slotsMax }: Pick<LaneOptions<never>, 'slotsMax'>): (() => number) =>
  typeof slotsMax === 'function' ? slotsMax : () => slotsMax
