type WatchedDocument = Pick<
  Document,
  'visibilityState' | 'addEventListener' | 'removeEventListener'
>

export const hiddenMsMax = 60_000

/**
 * Runs something while a tab is looked at, and for a minute after, as people switch back and forth. A browser
 * has six connections to a host, which forgotten tabs would use up. Returns what ends it.
 */
export function whileVisible(
  watched: WatchedDocument,
  { start, stop }: { start: () => void; stop: () => void },
): () => void {
  let isRunning = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    if (isRunning) stop()
    isRunning = false
  }
  const look = () => {
    clearTimeout(timer)
    if (watched.visibilityState === 'hidden') {
      timer = setTimeout(end, hiddenMsMax)
    } else if (!isRunning) {
      isRunning = true
      start()
    }
  }
  watched.addEventListener('visibilitychange', look)
  look()
  return () => {
    watched.removeEventListener('visibilitychange', look)
    clearTimeout(timer)
    end()
  }
}
