import type { TaskSummary } from '@trawl/sdk'

type SeenTask = Pick<TaskSummary, 'id' | 'status' | 'attempts' | 'created_at'>

// A tab may stay open for days.
const seenMax = 5_000

/** Tells which rows of a list are new or have changed since they were seen last. */
export class RowChanges {
  #seen = new Map<string, string>()
  #newest = ''

  /** The ids to point out. Rows that come by scrolling down are older than what was seen: no news. */
  see(tasks: readonly SeenTask[]): string[] {
    const isFirst = this.#newest === ''
    const newestBefore = this.#newest
    const changed: string[] = []
    for (const task of tasks) {
      const { id, created_at } = task
      const state = stateOf(task)
      const before = this.#seen.get(id)
      const isNews = before === undefined ? created_at > newestBefore : before !== state
      if (isNews && !isFirst) changed.push(id)
      this.#seen.set(id, state)
      if (created_at > this.#newest) this.#newest = created_at
    }
    if (this.#seen.size > seenMax) {
      this.#seen = new Map(tasks.map((task) => [task.id, stateOf(task)]))
    }
    return changed
  }
}

const stateOf = ({ status, attempts }: SeenTask): string => `${status} ${attempts}`

/**
 * The keys of rows: a row moves with its task, so that the focus stays on what somebody is about to select.
 * Pages that were read at different times may have a task twice.
 */
export function rowKeys(rows: readonly { index: number; id: string | undefined }[]): string[] {
  const seen = new Set<string>()
  return rows.map(({ index, id }) => {
    if (id === undefined || seen.has(id)) return `row ${index}`
    seen.add(id)
    return id
  })
}
