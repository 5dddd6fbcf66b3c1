import { readFile, stat } from 'node:fs/promises'

interface WatchedFile {
  path: string
  bytesMax: number
  pollIntervalMs: number
  onText(text: string): void
  /** Called once for each change, with an error code or our own reason. */
  onUnreadable(reason: string): void
}

/**
 * Reports the text of a file at the start, and after each change once two polls in a row see the same file.
 * It polls the path, because `fs.watch` loses files that are replaced by another or by a link, as editors and
 * Kubernetes do.
 */
export function startWatchingFile(watched: WatchedFile): Disposable {
  const { path, bytesMax, pollIntervalMs, onText, onUnreadable } = watched
  let seen: string | undefined
  let reported: string | undefined
  let isPolling = false
  let isStopped = false
  const timer = setInterval(poll, pollIntervalMs).unref()

  async function poll(): Promise<void> {
    if (isPolling) return
    isPolling = true
    const before = seen
    seen = await fingerprintOf(path)
    if (seen === before && seen !== reported) {
      reported = seen
      const read = await readWithin(path, bytesMax)
      if (isStopped) return
      if ('text' in read) onText(read.text)
      else onUnreadable(read.reason)
    }
    isPolling = false
  }

  return {
    [Symbol.dispose]: () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}

/** A fingerprint that changes with the file. */
async function fingerprintOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (error) {
    return reasonOf(error)
  }
}

async function readWithin(
  path: string,
  bytesMax: number,
): Promise<{ text: string } | { reason: string }> {
  try {
    const { size } = await stat(path)
    if (size > bytesMax) return { reason: `more than ${bytesMax} bytes` }
    return { text: await readFile(path, 'utf8') }
  } catch (error) {
    return { reason: reasonOf(error) }
  }
}

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error as Error).message
