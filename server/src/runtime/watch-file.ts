import { readFile, stat } from 'node:fs/promises'

interface WatchedFile {
  path: string
  bytesMax: number
  everyMs: number
  onText(text: string): void
  /** Told once for each change, with what the system or we say of it. */
  onUnreadable(reason: string): void
}

/**
 * Tells the text of a file when it has changed and has been left alone from one look to the next; what it
 * is at the beginning is told too. Looking at the path itself holds for files that are replaced by another
 * or by a link, as editors and Kubernetes do it, where notices of the system are lost.
 */
export function startWatchingFile({
  path,
  bytesMax,
  everyMs,
  onText,
  onUnreadable,
}: WatchedFile): Disposable {
  let seen: string | undefined
  let told: string | undefined
  let isLooking = false
  let isStopped = false
  const timer = setInterval(look, everyMs).unref()

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    const before = seen
    seen = await markOf(path)
    if (seen === before && seen !== told) {
      told = seen
      const read = await readWithin(path, bytesMax)
      if (isStopped) return
      if ('text' in read) onText(read.text)
      else onUnreadable(read.reason)
    }
    isLooking = false
  }

  return {
    [Symbol.dispose]: () => {
      isStopped = true
      clearInterval(timer)
    },
  }
}

/** Something that is another when the file is. */
async function markOf(path: string): Promise<string> {
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
