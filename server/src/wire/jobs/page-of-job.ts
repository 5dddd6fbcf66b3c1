import { redactUrl } from '../../domain/redact-url.ts'
import { extractOrderOf } from '../../domain/scrape/scrape-request.ts'
import { taskStatus } from '../../domain/task/task.ts'
import { durationMsOf, tokensOf } from '../../domain/task/usage-statistics.ts'
import { type JsonPieces, spliceJson } from '../../runtime/splice-json.ts'
import { errorOf, toExtractionError } from '../extract/extraction-error.ts'
import { dataJson, type EndedTask, fetchedHow } from '../extract/to-responses.ts'
import type { ShownResult } from '../scrape/to-responses.ts'

interface ResultWithLinks extends ShownResult {
  content: ShownResult['content'] & { links?: { links: readonly string[] } }
}

/** What became of a page of a batch or crawl, with its contents. */
export function pageOfJobJson(task: EndedTask, result: ResultWithLinks | undefined): JsonPieces {
  const metadata = result ? metadataOf(task, result) : null
  const links = isCrawled(task) && { links: result?.content.links?.links ?? [] }
  return spliceJson({ ...outcomeOf(task), ...links }, 'data', dataJson(result), { metadata })
}

export function pageOfJobWithoutContents(task: EndedTask): object {
  return { ...outcomeOf(task), ...(isCrawled(task) && { links: [] }), data: null, metadata: null }
}

function outcomeOf(task: EndedTask) {
  const error = errorOf(task)
  const shown = error && toExtractionError(error, task.id)
  return {
    ...placeInJob(task),
    url: redactUrl(task.request.url),
    status: taskStatus(task),
    error_code: shown?.code ?? null,
    error_message: shown?.message ?? null,
    error_reason: error?.code ?? null,
    task_id: task.id,
  }
}

const isCrawled = ({ request }: EndedTask): boolean => request.purpose.kind === 'crawl'

function placeInJob({ job, request: { purpose } }: EndedTask): object {
  if (purpose.kind !== 'crawl') return { input_index: job?.position ?? 0 }
  const { crawl } = purpose
  return { parent_url: crawl.parentUrl && redactUrl(crawl.parentUrl), depth: crawl.depth }
}

function metadataOf(task: EndedTask, { page }: ShownResult) {
  const order = extractOrderOf(task.request)
  return {
    http_status: page.statusCode,
    duration_ms: durationMsOf(task),
    retry_count: Math.max(task.attempts - 1, 0),
    tokens_charged: tokensOf(task),
    ...(order && fetchedHow(order, page)),
  }
}
