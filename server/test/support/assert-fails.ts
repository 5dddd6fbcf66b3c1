import assert from 'node:assert/strict'
import { Failure, type FailureCode } from '../../src/domain/failure.ts'

/** It ends in this failure, which is returned. */
export async function assertFails(code: FailureCode, work: Promise<unknown>): Promise<Failure> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  assert.ok('error' in outcome, `It did not fail with ${code}.`)
  const { error } = outcome
  assert.ok(error instanceof Failure, String(error))
  assert.equal(error.code, code, error.message)
  return error
}
