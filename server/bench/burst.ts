/** The rate per second of work that this many callers do concurrently in a loop. */
export async function rateOf(
  { together, warmUpMs, ms }: { together: number; warmUpMs: number; ms: number },
  doOnce: () => Promise<void>,
): Promise<number> {
  let done = 0
  let isOver = false
  const loops = Array.from({ length: together }, async () => {
    while (!isOver) {
      await doOnce()
      done += 1
    }
  })
  await pause(warmUpMs)
  const [before, startedAtMs] = [done, performance.now()]
  await pause(ms)
  const perSecond = ((done - before) * 1_000) / (performance.now() - startedAtMs)
  isOver = true
  await Promise.all(loops)
  return perSecond
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
