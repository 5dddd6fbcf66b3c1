import type { z } from 'zod'
import { redactHeaders } from '../../domain/redact-headers.ts'
import { toPublicFormats } from '../../domain/scrape/extract-options.ts'
import type { PageFacts } from '../../domain/scrape/page.ts'
import { type ExtractOrder, extractOrderOf } from '../../domain/scrape/scrape-request.ts'
import type { SearchedTask } from '../../domain/task/listed-task.ts'
import { type Task, type TaskProgress, taskStatus } from '../../domain/task/task.ts'
import { durationMsOf, runMsOf, tokensOf } from '../../domain/task/usage-statistics.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import { extendJson, type JsonPieces, spliceJson } from '../../runtime/splice-json.ts'
import type { ExtractJob, ExtractJobItem } from '../scrape/responses.ts'
import { imageJson, type ShownResult } from '../scrape/to-responses.ts'
import { errorOf, toExtractionError } from './extraction-error.ts'

export type EndedTask = Task & TaskProgress

/** The object of a single task in `/v1`, with its content while the result is kept. */
export function extractionJson(task: EndedTask, result: ShownResult | null): JsonPieces {
  const head = {
    job_id: task.id,
    status: taskStatus(task),
    created_at: isoTime(task.createdAtMs),
    completed_at: isoTimeOrNull(task.completedAtMs),
  }
  return spliceJson(head, 'data', dataJson(result), {
    metadata: result && metadataOf(task, result.page),
    error: errorObjectOf(task),
    tokens_charged: task.state === 'open' ? null : tokensOf(task),
  })
}

/** An extraction in a list. */
export function toExtractItem(task: SearchedTask): z.infer<typeof ExtractJobItem> {
  const formats = task.formats.length > 0 ? task.formats : (['html'] as const)
  return {
    job_id: task.id,
    status: taskStatus(task),
    url: task.request.url,
    created_at: isoTime(task.createdAtMs),
    execution_time: runMsOf(task),
    output: toPublicFormats(formats),
    all_formats: [...formats],
  }
}

/** What the caller of a synchronous extraction gets for a completed one. */
export const awaitedExtractionJson = (task: EndedTask, result: ShownResult): JsonPieces =>
  spliceJson({}, 'data', dataJson(result), {
    metadata: metadataOf(task, result.page),
    tokens_charged: tokensOf(task),
  })

export const jsonNull = [Buffer.from('null')]

export function dataJson(result: ShownResult | null | undefined): JsonPieces {
  if (!result) return jsonNull
  const { content, image, file, page } = result
  if (content.kind === 'data') {
    const { scenario, collectedData } = page
    const others = { file, scenario, collectedData }
    return extendJson(
      content.bytes,
      image ? spliceJson(others, 'screenshot', imageJson(image)) : others,
    )
  }
  const isHtml = content.kind === 'html'
  const markdown = isHtml ? { markdown: null } : {}
  const after = image ? spliceJson(markdown, 'screenshot', imageJson(image)) : markdown
  const before = isHtml ? {} : { html: null, markdown: null }
  return spliceJson(before, content.kind, [content.bytes], after)
}

function errorObjectOf(task: EndedTask) {
  const error = errorOf(task)
  return error && toExtractionError(error, task.id)
}

function metadataOf(task: EndedTask, page: PageFacts): ExtractJob['metadata'] {
  const { options } = task.request
  const extract = extractOrderOf(task.request)
  return {
    url: page.url,
    http_status: page.statusCode,
    duration_ms: durationMsOf(task),
    retry_count: Math.max(task.attempts - 1, 0),
    ...(extract ? extractionOptions(extract, page) : scrapeOptions(task)),
    engine: page.engine,
    engine_reason: engineReason(extract?.renderJs ?? options.js_render, page),
    content_type: page.headers['content-type'] ?? null,
    ...(extract && cacheMark(extract)),
  }
}

const scrapeOptions = ({ request: { options, purpose } }: EndedTask) => ({
  render_js: options.js_render,
  formats: ['html' as const],
  all_formats: ['html' as const],
  processing_mode: purpose.kind === 'realtime' ? ('sync' as const) : ('async' as const),
  proxy: null,
  // Forwarded headers may hold credentials, and receivers are third parties.
  headers: null,
  wait_config: null,
})

const extractionOptions = (order: ExtractOrder, page: PageFacts) => ({
  render_js: isRendered(order, page),
  formats: toPublicFormats(order.formats),
  all_formats: order.formats,
  processing_mode: order.processingMode,
  proxy: order.proxy,
  headers: order.headers && redactHeaders(order.headers),
  wait_config: order.waitConfig && { ...noWait, ...order.waitConfig },
})

const isRendered = ({ renderJs }: ExtractOrder, { engine }: PageFacts): boolean =>
  renderJs === 'auto' ? engine === 'browser' : renderJs

const cacheMark = ({ cachedFrom }: ExtractOrder) =>
  cachedFrom === undefined ? {} : { cached: true as const }

/** Which engine fetched the page and why, or that a stored result answered. */
export const fetchedHow = (order: ExtractOrder, page: PageFacts) => ({
  render_js: isRendered(order, page),
  engine: page.engine,
  engine_reason: engineReason(order.renderJs, page),
  ...cacheMark(order),
})

const noWait = { wait_until: null, wait_for: null, wait_timeout: null }

/** Why this engine fetched the page; without a stored reason the request alone decided it. */
function engineReason(
  renderJs: ExtractOrder['renderJs'],
  { engine, engineReason: stored }: PageFacts,
): string {
  if (stored) return stored
  if (engine === 'browser' && renderJs !== true) return 'options_need_browser'
  return renderJs === 'auto' ? 'method_needs_http' : 'requested'
}
