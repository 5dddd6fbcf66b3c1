/**
 * What can be said of the service itself: its health, what it can do, and the report that its operator
 * reads. This file writes the report.
 */

import type { BrowserFacts } from '../domain/service/health.ts'
import { listStoreProcesses, type StoreProcess } from '../domain/service/store-processes.ts'
import type { Lane } from '../domain/task/lane.ts'
import { listeningPortTtlMs } from '../outbound/guard/listening-ports.ts'
import type { LaneDepth } from '../queue/depths.ts'
import { isoTime } from '../runtime/iso-time.ts'
import { readDiskSpace } from '../runtime/machine/read-disk-space.ts'
import { timeOfSortableId } from '../runtime/sortable-id.ts'
import { version } from '../runtime/version.ts'
import type { Database } from '../storage/database.ts'
import { readStoreBytes } from '../storage/store-size.ts'
import { listLaneWorkers } from '../storage/tables/lane-workers.ts'
import { listListeningPorts } from '../storage/tables/listening-ports.ts'
import type { System } from '../wire/operator/responses.ts'
import { browserCapability } from '../wire/service/responses.ts'
import { runSystemChecks } from './system-checks.ts'

interface SystemParts {
  roles: System['roles']
  dataDir: string
  leaseMs: number
  settings: System['settings']
  db: Database
  processId: string
  /** How much work waits and runs, over all processes on the store. */
  depths: Record<Lane, LaneDepth>
}

export async function describeSystem(parts: SystemParts, browser: BrowserFacts): Promise<System> {
  const { roles, dataDir, settings, db, processId } = parts
  const [processes, [storeBytes = 0], disk, checks] = await Promise.all([
    readProcesses(parts),
    db.run(readStoreBytes()),
    readDiskSpace(dataDir),
    runSystemChecks({ roles, dataDir, db, browser }),
  ])
  const { http, browser: pages, delivery } = parts.depths
  const startedAtMs = timeOfSortableId(processId)
  return {
    version,
    started_at: isoTime(startedAtMs),
    uptime_seconds: Math.max(0, Math.round((Date.now() - startedAtMs) / 1_000)),
    roles,
    store: { kind: db.kind, bytes: storeBytes },
    disk: disk ? { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes } : null,
    browser: browserCapability(browser),
    processes: processes.map((one) => toProcess(one, processId)),
    queue: { http: toLoad(http), browser: toLoad(pages), delivery: toLoad(delivery) },
    settings,
    checks: checks.map(({ fix = null, ...check }) => ({ ...check, fix })),
  }
}

/** A row says until when it counts, which is a fixed time after the heartbeat that wrote it. */
async function readProcesses({ leaseMs, db }: SystemParts): Promise<StoreProcess[]> {
  const [laneRows, portRows] = await db.transaction([
    listLaneWorkers(db.nowMs()),
    listListeningPorts(),
  ] as const)
  return listStoreProcesses({
    lanes: laneRows.map(({ untilMs, ...row }) => ({
      ...row,
      seenAtMs: untilMs - leaseMs,
    })),
    ports: portRows.map(({ untilMs, ...row }) => ({
      ...row,
      seenAtMs: untilMs - listeningPortTtlMs,
    })),
  })
}

const toProcess = (
  { id, lanes, listensOn, lastSeenAtMs }: StoreProcess,
  thisId: string,
): System['processes'][number] => ({
  id,
  is_this: id === thisId,
  started_at: isoTime(timeOfSortableId(id)),
  last_seen_at: isoTime(lastSeenAtMs),
  lanes,
  listens_on: listensOn,
})

const toLoad = ({ waiting, running, oldestAgeMs }: LaneDepth) => ({
  waiting,
  running,
  oldest_age_seconds: oldestAgeMs / 1_000,
})
