/** How many checks of `npm run compat` passed and failed. */
export type CheckCounts = Awaited<ReturnType<typeof runChecks>>

/** Makes a check of each of some things and prints what it shows; it throws if it does not. */
export async function runChecks<One>(
  all: readonly One[],
  signal: AbortSignal,
  { sentence, check }: { sentence(one: One): string; check(one: One): Promise<void> },
) {
  const counts = { passedCount: 0, failedCount: 0 }
  for (const one of all) {
    try {
      await check(one)
      counts.passedCount++
      console.log(`✓ ${sentence(one)}`)
    } catch (error) {
      signal.throwIfAborted()
      counts.failedCount++
      console.log(`✗ ${sentence(one)}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return counts
}
