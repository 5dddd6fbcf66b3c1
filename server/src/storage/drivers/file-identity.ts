import { type BigIntStats, statSync } from 'node:fs'

/**
 * Which file a path leads to; undefined if it leads to none. A file that is open keeps its number (inode), even if it is
 * deleted, so that no other file gets it meanwhile.
 */
export const fileIdentity = (path: string): string | undefined =>
  identityBy(path, ({ dev, ino }) => `${dev} ${ino}`)

/**
 * The same for a comparison with what was noted by an earlier process: the number of a file that was deleted meanwhile
 * may have gone to another, which was made at another time.
 */
export const lastingIdentity = (path: string): string | undefined =>
  identityBy(path, ({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`)

function identityBy(path: string, identify: (stats: BigIntStats) => string): string | undefined {
  try {
    return identify(statSync(path, { bigint: true }))
  } catch {
    return undefined
  }
}
