import { setTimeout as pause } from 'node:timers/promises'
import { isStoreUnavailable } from '../../src/storage/store-unavailable.ts'
import type { ApiAnswer } from './call-api.ts'

const askedAgainAfterMs = 250
const patienceMs = 60_000

/** What a caller does who is told that the service or its store is out of breath: asks again. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  isOutOfBreath: (answer: Answer) => boolean,
): Promise<Answer> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const isLast = performance.now() > untilMs
    try {
      const answer = await ask()
      if (isLast || !isOutOfBreath(answer)) return answer
    } catch (error) {
      if (isLast || !isStoreUnavailable(error)) throw error
    }
    await pause(askedAgainAfterMs)
  }
}

/** A call of the API for whoever is not about to see what a service out of breath answers. */
export const callPatiently = (call: () => Promise<ApiAnswer>): Promise<ApiAnswer> =>
  patiently(
    call,
    ({ statusCode, text }) => statusCode === 503 && /OVERLOADED|STORE_UNAVAILABLE/.test(text),
  )
