import { setTimeout as pause } from 'node:timers/promises'

const askedAgainAfterMs = 250
const patienceMs = 60_000

/** What a caller does who is told that the service or its store is out of breath: asks again. */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  statusOf: (answer: Answer) => number,
): Promise<Answer> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (statusOf(answer) !== 503 || performance.now() > untilMs) return answer
    await pause(askedAgainAfterMs)
  }
}
