import { factsOf, type ImageFacts, type Page, type PageFacts } from '../domain/page.ts'
import type { Task, TaskProgress } from '../domain/task.ts'
import type { Content, PresentJob } from '../formats/present.ts'
import { resultJson, type ShownImage } from '../formats/result-object.ts'
import type { JsonPieces } from '../runtime/splice-json.ts'
import type { TaskLinks } from './task-links.ts'

/** A task that has ended, with what it brought back if it was completed. */
export interface FinishedTask {
  task: Task & TaskProgress
  result: FinishedResult | null
}

/** What a task brought back, in the form in which somebody is to get it. */
export interface FinishedResult {
  page: PageFacts
  content: Content
  image: ShownImage | undefined
}

/** How the content is needed: alone, as a realtime caller gets a page, or inside a JSON document. */
export type ContentForm = PresentJob['form']

/** The form in which a caller who waits for the answer gets it. */
export const realtimeForm = ({ request: { options } }: Task): ContentForm =>
  options.response_format === 'json' ? 'embedded' : 'plain'

/** Inside a JSON document an image is a link, unless it was asked for as base64; otherwise undefined. */
export function linkedImage(
  links: TaskLinks,
  task: Task,
  { image, form }: { image: ImageFacts; form: ContentForm },
): ShownImage | undefined {
  const { encoding } = task.request.options.screenshot.options
  const isLinked = form === 'embedded' && encoding === 'binary'
  return isLinked ? { ...image, url: links.screenshot(task.id) } : undefined
}

/** What an engine brought, for whoever asked for the task; `content` must be there in that form. */
export function toResult(
  links: TaskLinks,
  task: Task,
  brought: { page: Page; content: Content; engine: PageFacts['engine'] },
): FinishedResult {
  const { content, engine } = brought
  const page = factsOf(brought.page, engine)
  const form = task.kind === 'realtime' ? realtimeForm(task) : 'embedded'
  const linked = page.screenshot && linkedImage(links, task, { image: page.screenshot, form })
  return { page, content, image: linked ?? brought.page.screenshot }
}

/** The result object; its content must be there in the embedded form. */
export function toResultJson({
  task,
  page,
  content,
  image,
}: FinishedResult & { task: Task & TaskProgress }): JsonPieces {
  return resultJson({
    page,
    content,
    image,
    options: task.request.options,
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
        render: toTenths(timings?.renderMs),
        wait: toTenths(timings?.waitMs),
        extract: toTenths(timings?.extractMs),
      },
    })),
    requests: page.requests.map((request) => ({
      ...request,
      durationMs: toTenths(request.durationMs),
    })),
    console: page.console ?? [],
    waitEndedAtDeadline: page.isWaitCutShort ?? false,
    charset: content.charset,
    hasReplacements: content.hasReplacements,
    decodedBytes: content.decodedBytes,
  }
}

const toTenths = (ms: number | undefined): number | null =>
  ms === undefined ? null : Math.round(ms * 10) / 10
