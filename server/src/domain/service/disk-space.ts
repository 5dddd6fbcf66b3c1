/** What a volume has. */
export interface DiskSpace {
  freeBytes: number
  totalBytes: number
}

/** What has to stay free of it, so that accepted work can be finished: a share of it, or a size. */
export type DiskFreeMin = { share: number } | { bytes: number }

/** Undefined where it cannot be told: then the store itself says when it is full. */
export function isDiskLow(disk: DiskSpace | undefined, min: DiskFreeMin): boolean {
  if (disk === undefined) return false
  const bytesMin = 'share' in min ? min.share * disk.totalBytes : min.bytes
  return disk.freeBytes < bytesMin
}
