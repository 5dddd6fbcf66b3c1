import { readFileSync } from 'node:fs'

// Assumed where the limit cannot be read; Node raises its own soft limit to the hard limit.
const filesMaxUnknown = 10_000

/** How many files and sockets this process may have open. */
export function openFilesMax(): number {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? filesMaxUnknown : Number(soft)
  } catch {
    return filesMaxUnknown
  }
}
