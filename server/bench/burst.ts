/** How much is done in a second when so many do it at once, again and again. */
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
