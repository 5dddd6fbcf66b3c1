import { readFileSync } from 'node:fs'

/** Reads a file of the system, such as one of /proc; empty if it does not exist or has gone. */
export function readSystemFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
