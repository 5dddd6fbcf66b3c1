import type { LaneOptions } from './lane-worker.ts'
import type { LaneDoor, Queue } from './queue.ts'

export interface EndableQueue extends Queue {
  /** Ends all work under way without an outcome; whoever is next on the store does it again. */
  endAllWork(): void
}

/** A queue whose work can be ended all at once, for a process that has waited long enough for it. */
export function endable(queue: Queue): EndableQueue {
  const underWay = new Set<string>()
  let isOver = false
  return {
    ...queue,
    openLane<Handed>(lane: LaneOptions<Handed>): LaneDoor<Handed> {
      return queue.openLane<Handed>({
        ...lane,
        async work(lease, handed) {
          underWay.add(lease.workId)
          if (isOver) queue.loseWork(lease.workId)
          try {
            await lane.work(lease, handed)
          } finally {
            underWay.delete(lease.workId)
          }
        },
      })
    },
    endAllWork() {
      isOver = true
      for (const workId of underWay) queue.loseWork(workId)
    },
  }
}
