import type { Lane } from '../domain/task/lane.ts'
import type { ConcurrencyLimit } from './concurrency-limits.ts'
import type { CrashIsolation } from './crash-isolation.ts'
import type { Lease } from './lease.ts'

export interface LaneOptions<Preloaded> {
  lane: Lane
  /** If it is a function, its value may change: less aborts nothing; after more, call `wake`. */
  slotsMax: number | (() => number)
  /**
   * Does the work and settles the lease. `preloaded` is what this process knew when it wrote the entry
   * and need not read again.
   */
  work(lease: Lease, preloaded: Preloaded | undefined): Promise<void>
  /**
   * The memory that `preloaded` takes while the entry waits in the store; undefined if it may change
   * meanwhile and must be read again.
   */
  preloadedBytes?(preloaded: Preloaded): number | undefined
  limitOf(concurrencyKey: string, accountId: string): ConcurrencyLimit
  /** Whether work of the account delays requests of others: it then gets a quarter of the slots at most. */
  delaysOthers?(accountId: string): boolean
  /** How many entries of an account under one concurrency key may be claimed before they have a slot. */
  prefetchMax?: number
  /** Shared by the lanes that are idle while a suspect runs alone; without it, only this lane is. */
  isolation?: CrashIsolation
  /** Whether other processes can see that this one works on the lane, and with how many slots. */
  isAdvertised?: () => boolean
  /**
   * Work that takes longer than this releases its slot, but not its concurrency key: a silent receiver
   * must not delay the rest. At most as many entries as there are slots may do so.
   */
  patienceMs?: number
}

export const slotsMaxOf = ({ slotsMax }: Pick<LaneOptions<never>, 'slotsMax'>): (() => number) =>
  typeof slotsMax === 'function' ? slotsMax : () => slotsMax
