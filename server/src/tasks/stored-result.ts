import type { ImageFacts, Page, Screenshot } from '../domain/page.ts'
import type { Task, TaskProgress } from '../domain/task.ts'
import type { ContentThreads } from '../formats/content-threads.ts'
import type { ShownImage } from '../formats/result-object.ts'
import type { Sealer } from '../runtime/seal.ts'
import { readBlob } from '../storage/blobs.ts'
import type { Database } from '../storage/database.ts'
import { findResult } from '../storage/results.ts'
import { type ContentForm, type FinishedResult, linkedImage } from './finished-task.ts'
import type { TaskLinks } from './task-links.ts'

export interface StoredResultParts {
  db: Database
  sealer: Sealer
  contents: ContentThreads
  links: TaskLinks
}

/** Reads what a task brought back; undefined when it is no longer kept. */
export async function readResult(
  parts: StoredResultParts,
  task: Task & TaskProgress,
  form: ContentForm,
): Promise<FinishedResult | undefined> {
  const [[page], [body]] = await parts.db.transaction([
    findResult(parts.sealer, task),
    readBlob({ ownerId: task.id, kind: 'page' }),
  ] as const)
  if (!page || !body) return undefined
  const image = page.screenshot && (await readImage(parts, task, { image: page.screenshot, form }))
  if (page.screenshot && !image) return undefined
  const content = await parts.contents.present(presentJob(task, { ...page, body }, form))
  return { page, content, image }
}

async function readImage(
  { db, links }: StoredResultParts,
  task: Task,
  wanted: { image: ImageFacts; form: ContentForm },
): Promise<ShownImage | undefined> {
  const linked = linkedImage(links, task, wanted)
  if (linked) return linked
  const [bytes] = await db.run(readBlob({ ownerId: task.id, kind: 'screenshot' }))
  return bytes && { ...wanted.image, bytes }
}

/** Null when the page came without one, undefined when nothing is kept any more. */
export async function readScreenshot(
  { db, sealer }: Pick<StoredResultParts, 'db' | 'sealer'>,
  task: Pick<Task, 'id' | 'accountId'>,
): Promise<Screenshot | null | undefined> {
  const [[page], [bytes]] = await db.transaction([
    findResult(sealer, task),
    readBlob({ ownerId: task.id, kind: 'screenshot' }),
  ] as const)
  return page && (page.screenshot && bytes ? { ...page.screenshot, bytes } : null)
}

/** How a page is to be presented to whoever asked for it. */
export function presentJob(
  { request: { options } }: Task,
  { headers, body, isText }: Pick<Page, 'headers' | 'body' | 'isText'>,
  form: ContentForm,
) {
  return {
    body,
    // What was read from a browser is text already, whatever the target sent it in.
    contentEncoding: isText ? undefined : headers['content-encoding'],
    contentType: isText ? 'text/html; charset=utf-8' : headers['content-type'],
    isJson: options.is_json_response,
    minify: options.HTMLMinifier,
    form,
  }
}
