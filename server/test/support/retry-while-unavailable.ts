import { setTimeout as pause } from 'node:timers/promises'
import { isStoreUnavailable } from '../../src/storage/outages/store-unavailable.ts'
import type { ApiResponse } from './call-api.ts'

const retryDelayMs = 250
const retryForMs = 60_000

/** Retries while the service answers that it is overloaded or the store is unavailable. */
export async function retryWhileUnavailable<Result>(
  call: () => Promise<Result>,
  isUnavailable: (result: Result) => boolean,
): Promise<Result> {
  const untilMs = performance.now() + retryForMs
  for (;;) {
    const isLast = performance.now() > untilMs
    try {
      const result = await call()
      if (isLast || !isUnavailable(result)) return result
    } catch (error) {
      if (isLast || !isStoreUnavailable(error)) throw error
    }
    await pause(retryDelayMs)
  }
}

/** Calls the API for a test that is not about overload or store outages. */
export const callWithRetry = (call: () => Promise<ApiResponse>): Promise<ApiResponse> =>
  retryWhileUnavailable(
    call,
    ({ statusCode, text }) => statusCode === 503 && /OVERLOADED|STORE_UNAVAILABLE/.test(text),
  )
