import { type DiskFreeMin, isDiskLow } from '../domain/service/disk-space.ts'
import type { BrowserFacts, HealthFacts } from '../domain/service/health.ts'
import { readDiskSpace } from '../runtime/machine/read-disk-space.ts'
import type { Database } from '../storage/database.ts'

interface HealthParts {
  db: Database
  dataDir: string
  diskFreeMin: DiskFreeMin
  isDraining: boolean
}

export async function readHealthFacts(
  { db, dataDir, diskFreeMin, isDraining }: HealthParts,
  browser: BrowserFacts,
): Promise<HealthFacts> {
  const isStoreAnswering = await db.ping().then(
    () => true,
    () => false,
  )
  // With PostgreSQL there may be no data folder at all, and so nothing to report.
  const disk = await readDiskSpace(dataDir)
  return {
    isStoreAnswering,
    storeRefusal: db.refusal()?.message,
    diskFreeShare: disk && disk.freeBytes / disk.totalBytes,
    isDiskLow: isDiskLow(disk, diskFreeMin),
    isDraining,
    browser,
  }
}
