import type { Task, TaskProgress } from '../domain/task.ts'
import type { ContentThreads } from '../formats/content-threads.ts'
import { readBlob } from '../storage/blobs.ts'
import type { Database } from '../storage/database.ts'
import { findResult } from '../storage/results.ts'
import type { ContentForm, FinishedTask } from './finished-task.ts'

/** Reads what a task brought back; undefined when it is no longer kept. */
export async function readResult(
  { db, contents }: { db: Database; contents: ContentThreads },
  task: Task & TaskProgress,
  form: ContentForm,
): Promise<NonNullable<FinishedTask['result']> | undefined> {
  const [[page], [body]] = await db.transaction([
    findResult(task.id),
    readBlob({ ownerId: task.id, kind: 'page' }),
  ] as const)
  if (!page || !body) return undefined
  return { page, content: await contents.present(presentJob(task, { ...page, body }, form)) }
}

/** How a page is to be presented to whoever asked for it. */
export function presentJob(
  { request: { options } }: Task,
  page: { headers: Record<string, string>; body: Uint8Array },
  form: ContentForm,
) {
  return {
    body: page.body,
    contentEncoding: page.headers['content-encoding'],
    contentType: page.headers['content-type'],
    isJson: options.is_json_response,
    minify: options.HTMLMinifier,
    form,
  }
}
