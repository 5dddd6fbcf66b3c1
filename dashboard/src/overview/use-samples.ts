import { useRef } from 'react'

export interface Sample<Value> {
  timeMs: number
  value: Value
}

// Twenty minutes of the query behind it.
const samplesMax = 120

/** The values that a query had since the page was opened: the service keeps no history of them. */
export function useSamples<Value>(
  value: Value | undefined,
  readAtMs: number,
): readonly Sample<Value>[] {
  const samples = useRef<Sample<Value>[]>([])
  if (value !== undefined && samples.current.at(-1)?.timeMs !== readAtMs) {
    samples.current = [...samples.current, { timeMs: readAtMs, value }].slice(-samplesMax)
  }
  return samples.current
}
