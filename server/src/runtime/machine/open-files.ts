import { readSystemFile } from './read-system-file.ts'

// Assumed where the limit cannot be read; Node raises its own soft limit to the hard limit.
const filesMaxUnknown = 10_000

/** How many files and sockets this process may have open. */
export function openFilesMax(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readSystemFile('/proc/self/limits')) ?? []
  return soft === undefined ? filesMaxUnknown : Number(soft)
}
