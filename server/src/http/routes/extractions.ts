import { z } from 'zod'
import { formatNames } from '../../domain/scrape/extract-options.ts'
import { UrlPart } from '../../domain/url-part.ts'
import { jobExamples, jobListExamples } from '../../wire/extract/examples.ts'
import { toExtractItem } from '../../wire/extract/to-responses.ts'
import { TaskStatus } from '../../wire/named-enums.ts'
import { PageQuery, pageOf, toEnvelope } from '../../wire/pagination.ts'
import { DateQuery } from '../../wire/query-dates.ts'
import { ExtractJob, ExtractJobList } from '../../wire/scrape/responses.ts'
import { JobPath } from '../requests/task-ids.ts'
import { assemble } from '../responses/tasks.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const listExtractJobs = defineRoute('extract', {
  operationId: 'listExtractJobs',
  request: 'GET /v1/extract/jobs',
  takesTurns: true,
  summary: 'List jobs, newest first',
  description: 'Holds every single task: callback and realtime scrapes as well.',
  query: PageQuery.extend(DateQuery.shape).extend({
    job_id: z.guid().toLowerCase().optional().describe('Only this job.'),
    url: UrlPart.optional().describe('Only URLs that contain this, in any case.'),
    status: TaskStatus.optional().describe('Only jobs with this status.'),
    output: z.enum(formatNames).optional().describe('Only jobs with this format.'),
  }),
  response: { description: 'A page of them.', body: ExtractJobList },
  examples: jobListExamples,

  async handle({ account, query, disconnected }, { tasks }) {
    const found = await tasks.search({
      accountId: account.id,
      ...pageOf(query),
      isSingle: true,
      id: query.job_id,
      url: query.url || undefined,
      signal: disconnected,
      status: query.status,
      format: query.output,
      createdFromMs: query.start_date,
      createdToMs: query.end_date,
    })
    const { items, ...envelope } = toEnvelope(found, query, toExtractItem)
    return { jobs: items, ...envelope, is_capped: found.isCapped }
  },
})

const getExtractJob = defineRoute('extract', {
  operationId: 'getExtractJob',
  request: 'GET /v1/extract/:job_id',
  mayTakeLong: true,
  aliases: ['/v1/extract/jobs/:job_id'],
  summary: 'Get a single task as a job, with its data',
  description: 'Serves every single task: callback and realtime scrapes as well.',
  params: JobPath,
  response: { description: 'The job; a failed one too.', body: ExtractJob },
  failures: ['NOT_FOUND', 'RATE_LIMITED'],
  examples: jobExamples,
  handle: async ({ account, params, disconnected }, { tasks }) =>
    assemble(await tasks.getExtraction(account.id, params.job_id, disconnected)),
})

const getExtractFile = defineRoute('extract', {
  operationId: 'getExtractFile',
  request: 'GET /v1/extract/:job_id/file',
  mayTakeLong: true,
  summary: 'Get the file that a target sent',
  description: 'The link in a result has a `signature` and needs no credentials.',
  params: JobPath,
  query: z.object({
    signature: z.string().optional().describe('Replaces credentials, for this file only.'),
  }),
  response: {
    description: 'The file. Images are shown by a browser, everything else is saved.',
    body: z.string(),
    contentType: 'application/octet-stream',
  },
  failures: ['NOT_FOUND', 'CONFLICT', 'EXPIRED', 'RATE_LIMITED'],
  examples: { file: { summary: 'The file of a job' } },

  findLinkOwner({ params, query }, { tasks }) {
    const { job_id } = params
    const { signature } = query
    const isSigned = job_id !== undefined && typeof signature === 'string'
    return isSigned ? tasks.findLinkOwner('file', job_id, signature) : undefined
  },

  async handle({ account, params, disconnected }, { tasks }) {
    const file = await tasks.getFile(account.id, params.job_id, disconnected)
    const { imageType, contentType, bytes } = file
    return new RouteResponse(bytes, {
      headers: {
        // Only what is an image by its bytes is shown; anything else could be a foreign page.
        'content-type': imageType ?? singleType(contentType),
        'content-disposition': imageType ? 'inline' : 'attachment',
        'cache-control': 'private',
      },
    })
  },
})

/** A header with several types, or with something that is none, is not passed on. */
function singleType(contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim() ?? ''
  return oneType.test(type) && !loadable.test(type) ? type : 'application/octet-stream'
}

const oneType = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/

/**
 * Scripts and styles, which a page of ours would take from its own origin (CSP `'self'`), whatever their
 * disposition. No file is text: a script with a NUL in a comment is a file, and still runs.
 */
const loadable = /^text\/|script/i

export const extractionRoutes: readonly Route[] = [listExtractJobs, getExtractJob, getExtractFile]
