import type { Statement } from '../storage/statement.ts'

/** An entry that is written as parked; the call follows the transaction. */
export interface ParkedNewEntry {
  statement: Statement<never>
  expect(): unknown
}

/** An entry that is written as held; one of the two calls must follow the transaction. */
export interface HeldNewEntry<Handed> {
  statement: Statement<never>
  start(handed: Handed): void
  withdraw(): void
}
