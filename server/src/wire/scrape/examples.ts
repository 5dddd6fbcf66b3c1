import {
  cancelled,
  createdAtMs,
  exampleResult,
  parsed,
  scrapedTask,
  exampleUrl as url,
} from '../example-task.ts'
import type { RouteExample } from '../route-example.ts'
import { callbackBody } from '../tasks/deliveries.ts'
import { resultJson, toTaskObject } from './to-responses.ts'

/** Responses about scrape tasks, as the examples of their routes and the callback show them. */

const task = toTaskObject({
  ...scrapedTask,
  callback: {
    state: 'delivered',
    attempts: 1,
    nextAttemptAtMs: null,
    lastStatusCode: 200,
    lastError: null,
    deliveredAtMs: createdAtMs + 530,
  },
})

const result = exampleResult('<!doctype html><title>Cod</title><h1>Cod</h1><p>A fish.</p>')

/** What `callbackUrl` gets. */
export const callbackExample = parsed([
  callbackBody({ task: scrapedTask, result }, { result: String }),
])

export const scrapeExamples = {
  realtime: {
    result: {
      summary: 'A page with its status, headers and cookies',
      body: { url, configurations: { response_format: 'json', device_type: 'mobile' } },
      response: parsed(
        resultJson({ ...result, options: { response_format: 'json', debug: false }, attempts: 1 }),
      ),
    },
  },
  list: {
    completed: {
      summary: 'The ten newest that completed',
      query: { status: 'completed', page_size: '10' },
      response: { items: [task], page: 1, page_size: 10, page_count: 1 },
    },
  },
  get: { task: { summary: 'A task by its id', response: task } },
  result: { page: { summary: 'The page of a completed task' } },
  screenshot: { image: { summary: 'The image of a completed task' } },
  redeliver: { callback: { summary: 'Send the callback again', response: task } },
  cancel: {
    queued: {
      summary: 'Cancel a task',
      response: toTaskObject({ ...scrapedTask, ...cancelled, callback: null }),
    },
  },
} satisfies Record<string, Record<string, RouteExample>>
