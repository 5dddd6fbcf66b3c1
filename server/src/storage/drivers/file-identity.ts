import { statSync } from 'node:fs'

/**
 * Which file a path leads to; undefined if it leads to none. A file that is open keeps its number (inode), even if it is
 * deleted, so that no other file gets it meanwhile.
 */
export function fileIdentity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return undefined
  }
}

/**
 * The same for a comparison with what was noted by an earlier process: the number of a file that was deleted meanwhile
 * may have gone to another, which was made at another time.
 */
export function lastingIdentity(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true })
    return `${dev} ${ino} ${birthtimeNs}`
  } catch {
    return undefined
  }
}
