import { countText } from '../parts/value-text.ts'

interface ActionOptions {
  /** Aborted to stop before the next one. */
  signal?: AbortSignal
  /** Called after each. */
  onProgress?: (endedCount: number) => void
}

const atOnce = 4

/** How many of many were done, and why the others were not. */
export type ActionReport = Awaited<ReturnType<typeof actOnEach>>

/** Does something with each id, a few at once; one that is refused does not stop the others. */
export async function actOnEach(
  ids: Iterable<string>,
  act: (id: string) => Promise<unknown>,
  { signal, onProgress }: ActionOptions = {},
) {
  const waiting = [...ids]
  // By the message, how often.
  const refusals = new Map<string, number>()
  let doneCount = 0
  let endedCount = 0
  const work = async () => {
    while (!signal?.aborted) {
      const id = waiting.shift()
      if (id === undefined) return
      try {
        await act(id)
        doneCount++
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
      }
      onProgress?.(++endedCount)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { doneCount, refusals, leftCount: waiting.length }
}

/** How it went, in a sentence; `done` is what was done to each. */
export function reportText(done: string, report: ActionReport): string {
  const { doneCount, refusals, leftCount } = report
  return [
    `${countText(doneCount)} ${done}`,
    ...[...refusals].map(([reason, count]) => `${countText(count)} not: ${reason}`),
    ...(leftCount > 0 ? [`stopped, ${countText(leftCount)} left`] : []),
  ].join('; ')
}
