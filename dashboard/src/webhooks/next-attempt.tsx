import { countdownText } from './countdown-text.ts'
import { useNow } from './use-now.ts'

/** Counts down to the next attempt. A timer is not read out by itself. */
export function NextAttempt({ at }: { at: string }) {
  const nowMs = useNow(true)
  return (
    <p role="timer" className="number">
      Next attempt {countdownText(Date.parse(at) - nowMs)}
    </p>
  )
}
