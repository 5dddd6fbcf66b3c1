/** The space of a volume. */
export interface DiskSpace {
  freeBytes: number
  totalBytes: number
}

/** The space to keep free, so that accepted work can be finished: a share of the volume or a size. */
export type DiskFreeMin = { share: number } | { bytes: number }

/** A volume that cannot be measured is never low: then the store itself reports when it is full. */
export function isDiskLow(disk: DiskSpace | undefined, min: DiskFreeMin): boolean {
  if (disk === undefined) return false
  const bytesMin = 'share' in min ? min.share * disk.totalBytes : min.bytes
  return disk.freeBytes < bytesMin
}
