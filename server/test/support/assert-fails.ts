import assert from 'node:assert/strict'
import { Failure, type FailureCode } from '../../src/domain/failure.ts'

/** Asserts that the work rejects with a `Failure` of this code, and returns the failure. */
export async function assertFails(code: FailureCode, work: Promise<unknown>): Promise<Failure> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  assert.ok('error' in outcome, `The work did not fail with ${code}.`)
  const { error } = outcome
  assert.ok(error instanceof Failure, String(error))
  assert.equal(error.code, code, error.message)
  return error
}
