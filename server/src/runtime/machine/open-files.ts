import { readSystemFile } from './read-system-file.ts'

// Assumed where the limit cannot be read; Node raises its own soft limit to the hard limit.
const filesMaxUnknown = 10_000

// With fewer, pages fail for want of a socket or a thread: the service itself takes about sixty.
const filesMin = 256

/** The process may not open enough files and sockets for the service. */
export class TooFewDescriptors extends Error {}

export function requireDescriptors(): void {
  const max = openFilesMax()
  if (max >= filesMin) return
  throw new TooFewDescriptors(
    `This process may open only ${max} files and sockets, and needs ${filesMin}. Raise the limit, for example with: ulimit -n 4096`,
  )
}

/** How many files and sockets this process may have open. */
export function openFilesMax(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readSystemFile('/proc/self/limits')) ?? []
  return soft === undefined ? filesMaxUnknown : Number(soft)
}
