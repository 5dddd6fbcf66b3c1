import assert from 'node:assert/strict'
import type { PagePart, TextRange } from '../../domain/task/cut-page.ts'
import type { ContentWorkers } from '../../formats/workers/content-workers.ts'
import type { PresentCaller } from '../../formats/workers/worker-pool.ts'

/** Cuts a part from the JSON of a job or an extraction, outside the event loop. */
export type PageCutter = (
  json: Uint8Array,
  range: TextRange,
  caller: PresentCaller,
) => Promise<PagePart>

export const createPageCutter =
  (contents: ContentWorkers): PageCutter =>
  async (body, range, caller) => {
    const { part } = await contents.present({ ...jobText, body, part: range }, caller)
    assert(part, 'A content thread returns the part that it was asked for.')
    return part
  }

const jobText = {
  contentEncoding: undefined,
  contentType: 'application/json',
  isJson: true,
  minify: undefined,
  form: 'plain',
} as const
