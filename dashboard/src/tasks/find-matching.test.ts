import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TaskSearchResult, TaskSummary } from '@trawl/sdk'
import { findMatching } from './find-matching.ts'
import type { TaskQuery } from './task-filters.ts'

const atSecond = (second: number) => new Date(second * 1_000).toISOString()

/** A service whose searches see so many tasks, and where one is created by each call. */
function busyService(seenMax: number) {
  let tasks = Array.from({ length: 25 }, (_, index) => taskOf(25 - index))
  function taskOf(second: number): TaskSummary {
    return { id: String(second), created_at: atSecond(second) } as TaskSummary
  }
  const search = (query: TaskQuery, page: number): TaskSearchResult => {
    const fitting = tasks.filter((task) => task.created_at <= (query.end_date ?? atSecond(1e6)))
    const size = query.page_size === 1 ? 1 : 4
    const found = fitting.slice(0, seenMax).slice((page - 1) * size, page * size)
    tasks = [taskOf(100 + tasks.length), ...tasks]
    return {
      tasks: found,
      page,
      page_size: size,
      page_count: Math.ceil(Math.min(fitting.length, seenMax) / size),
      is_capped: fitting.length > seenMax,
    }
  }
  return (query: TaskQuery) => ({
    // biome-ignore lint/suspicious/noThenProperty: as the lists of the SDK
    then: <T>(onPage?: ((page: TaskSearchResult) => T) | null) =>
      Promise.resolve(search(query, 1)).then(onPage),
    async *pages() {
      for (let page = 1; ; page++) {
        const found = search(query, page)
        yield found
        if (page >= found.page_count) return
      }
    },
  })
}

for (const seenMax of [1_000, 7]) {
  test(`every task is found once, though each search ends after ${seenMax}`, async () => {
    const list = busyService(seenMax) as Parameters<typeof findMatching>[0]
    const ids: string[] = []

    for await (const { id } of findMatching(list, {})) ids.push(id)

    assert.deepEqual(
      ids,
      Array.from({ length: 25 }, (_, index) => String(25 - index)),
    )
  })
}
