import { readText } from './cgroups.ts'

// Assumed where the limit cannot be read; Node raises its own soft limit to the hard limit.
const filesMaxUnknown = 10_000

/** How many files and sockets this process may have open. */
export function openFilesMax(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readText('/proc/self/limits')) ?? []
  return soft === undefined ? filesMaxUnknown : Number(soft)
}
