import { Failure } from '../../domain/failure.ts'
import type { Log } from '../../runtime/log.ts'
import { ConstraintViolated } from '../constraint-violated.ts'
import { RequirementUnmet } from '../statement.ts'
import { canWorkOn } from './migration.ts'

/** Notices that a newer version has migrated the store of this process, which then must be replaced. */
export class SchemaGuard {
  readonly #parts: { place: string; madeFor: number; log: Log }
  readonly #outdated = Promise.withResolvers<void>()
  #refusal: Failure | undefined

  constructor(parts: { place: string; madeFor: number; log: Log }) {
    this.#parts = parts
  }

  /** Resolves once the store is newer than this process; it never goes back. */
  get whenOutdated(): Promise<void> {
    return this.#outdated.promise
  }

  /** Set once the store is newer than this process. */
  get refusal(): Failure | undefined {
    return this.#refusal
  }

  /** To be called with the schema that the store has. */
  see(schema: number): void {
    const { place, madeFor, log } = this.#parts
    if (this.#refusal || canWorkOn(madeFor, schema)) return
    this.#refusal = outdated()
    this.#outdated.resolve()
    log.error(
      { schema, madeFor },
      `The store ${place} was migrated to schema ${schema} by a newer version; this process knows ${madeFor}. It finishes what it runs, begins nothing more and answers 503. Start the newer version in its place.`,
    )
  }
}

const retryAfterSeconds = 5

const outdated = () =>
  new Failure(
    'STORE_UNAVAILABLE',
    'The store was migrated by a newer version of the service, which has to take over from this process. Retry in a moment.',
    { retryAfterSeconds },
  )

/** Errors that no statement has by itself, but one that was written for another schema may have. */
export const mayBeOtherSchema = (error: unknown): boolean => {
  if (error instanceof ConstraintViolated)
    return error.kind === 'check' || error.kind === 'not-null'
  return !(error instanceof Failure || error instanceof RequirementUnmet)
}
