import {
  cancelled,
  exampleMarkdown,
  exampleResult,
  extractedTask,
  exampleId as id,
} from '../example-task.ts'
import type { RouteExample } from '../route-example.ts'
import { toTargetResponse, toTaskDetails, toTaskSummary } from './to-responses.ts'

const task = extractedTask(['markdown'])

/** Requests to copy; tests run each of them against a site of their own. */
export const searchExamples: Record<string, RouteExample> = {
  newest: {
    summary: 'The ten newest',
    query: { page_size: '10' },
    response: {
      tasks: [toTaskSummary(task)],
      page: 1,
      page_size: 10,
      page_count: 1,
      is_capped: false,
    },
  },
  failed: {
    summary: 'Tasks of a host that failed because it did not answer in time',
    query: { host: 'example.com', code: 'TARGET_TIMEOUT' },
  },
}

export const detailsExamples: Record<string, RouteExample> = {
  task: { summary: 'A completed task', response: toTaskDetails(task) },
}

export const responseExamples: Record<string, RouteExample> = {
  page: {
    summary: 'Of a page without a browser',
    response: toTargetResponse(exampleResult(exampleMarkdown).page),
  },
}

export const cancelExamples: Record<string, RouteExample> = {
  open: {
    summary: 'Cancel a task that has not ended',
    response: toTaskDetails({ ...task, ...cancelled }),
  },
}

export const retryExamples: Record<string, RouteExample> = {
  retry: {
    summary: 'The same request again, with its callback',
    response: {
      id,
      status: 'queued',
      retry_of: '01a1e5ee-02d1-7c33-8a40-9be1d07f5c21',
      status_url: `/v1/tasks/${id}`,
      created_at: '2026-03-02T09:30:00.000Z',
    },
  },
  replay: {
    summary: 'The same request again, without its callback',
    body: { callback: false },
  },
}
