import type { Page } from '../domain/page.ts'
import type { Task, TaskProgress } from '../domain/task.ts'
import type { Content, PresentJob } from '../formats/present.ts'
import { resultJson } from '../formats/result-object.ts'
import type { JsonPieces } from '../runtime/splice-json.ts'

/** What a page has to say beside its bytes, and by which engine it was fetched. */
export interface PageFacts extends Omit<Page, 'body'> {
  engine: 'http' | 'browser'
}

/** A task that has ended, with what it brought back if it was completed. */
export interface FinishedTask {
  task: Task & TaskProgress
  result: { page: PageFacts; content: Content } | null
}

/** How the content is needed: alone, as a realtime caller gets a page, or inside a JSON document. */
export type ContentForm = PresentJob['form']

/** The form in which a caller who waits for the answer gets it. */
export const realtimeForm = ({ request: { options } }: Task): ContentForm =>
  options.response_format === 'json' ? 'embedded' : 'plain'

/** The result object; its content must be there in the embedded form. */
export function toResultJson({
  task,
  page,
  content,
}: {
  task: Task & TaskProgress
  page: PageFacts
  content: Content
}): JsonPieces {
  return resultJson({
    page,
    content,
    options: task.request.options,
    engine: page.engine,
    attempts: task.attempts,
    debug: task.request.options.debug ? toDebug(task, page, content) : undefined,
  })
}

function toDebug(task: TaskProgress, page: PageFacts, content: Content): object {
  return {
    attempts: task.attemptLog.map(({ startedAtMs, durationMs, queueMs, timings, ...attempt }) => ({
      ...attempt,
      startedAt: new Date(startedAtMs).toISOString(),
      durationMs,
      timings: {
        queue: queueMs,
        dns: toTenths(timings?.dnsMs),
        connect: toTenths(timings?.connectMs),
        tls: toTenths(timings?.tlsMs),
        firstByte: toTenths(timings?.firstByteMs),
        download: toTenths(timings?.downloadMs),
      },
    })),
    requests: page.requests.map((request) => ({
      ...request,
      durationMs: toTenths(request.durationMs),
    })),
    console: [],
    waitEndedAtDeadline: false,
    charset: content.charset,
    hasReplacements: content.hasReplacements,
    decodedBytes: content.decodedBytes,
  }
}

const toTenths = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.round(ms * 10) / 10
