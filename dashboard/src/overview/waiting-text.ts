import { durationText } from '../parts/number-text.ts'

/** The service knows the age of what was never begun; without any, all that waits was tried before. */
export function oldestText(waiting: number, oldestAgeMs: number): string {
  if (waiting === 0) return 'nothing waits'
  return oldestAgeMs > 0 ? `the oldest for ${durationText(oldestAgeMs)}` : 'to be tried again'
}
