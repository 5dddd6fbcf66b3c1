import { Failure } from '../../domain/failure.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import { durationMsOf } from '../../domain/task/usage-statistics.ts'
import { spliceJson } from '../../runtime/splice-json.ts'
import { mapExamples } from '../../wire/jobs/examples.ts'
import { MapRequest } from '../../wire/map/requests.ts'
import { MapJob, MapJobList, SiteMap } from '../../wire/map/responses.ts'
import { mapHead } from '../../wire/map/to-responses.ts'
import { failedExtraction } from '../errors/extraction-problem.ts'
import { toProblem } from '../errors/problem.ts'
import { JobsOfSiteQuery } from '../requests/jobs-query.ts'
import { JobPath } from '../requests/task-ids.ts'
import { listOfJobs } from '../responses/job-lists.ts'
import { assemble, targetFailures } from '../responses/tasks.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const mapSiteUrls = defineRoute('map', {
  operationId: 'mapSiteUrls',
  request: 'POST /v1/map',
  mayTakeLong: true,
  summary: 'List the URLs of a site',
  description:
    'From its sitemaps and the links of the page. At most 60 seconds and 100 000 URLs, then `warning` says so. `X-Job-Id` names the job. Disconnecting cancels it.',
  body: MapRequest,
  response: {
    description: 'The URLs of the site.',
    body: SiteMap,
    headers: ['X-Job-Id'],
  },
  newWork: 'task',
  errorForm: 'extraction_of_target',
  failures: ['URL_NOT_ALLOWED', 'NO_PROXY_AVAILABLE', 'REQUEST_TIMEOUT', ...targetFailures],
  examples: mapExamples.create,

  async handle({ account, body, disconnected, correlationId }, { maps }) {
    const order = {
      url: body.url,
      search: body.search || null,
      includesSubdomains: body.include_subdomains,
      ignoresQueries: body.ignore_query_parameters,
    }
    const { jobId, finished } = await maps.run(account.id, order, disconnected)
    const { task, result } = finished
    const headers = { 'x-job-id': jobId }
    if (task.error?.code === 'TARGET_TIMEOUT') {
      const failure = new Failure('REQUEST_TIMEOUT', task.error.message)
      const problem = toProblem(failure, correlationId)
      return new RouteResponse(problem.body, { status: problem.status, headers })
    }
    if (!result) {
      return new RouteResponse(failedExtraction(finished, correlationId), { status: 422, headers })
    }
    const { count, warning } = result.page.siteLinks ?? { count: 0, warning: null }
    const metadata = {
      url: redactUrl(body.url),
      links_count: count,
      duration_ms: durationMsOf(task),
    }
    const links = [result.content.bytes]
    return assemble(spliceJson({ success: true }, 'links', links, { metadata, warning }), headers)
  },
})

const listMaps = defineRoute('map', {
  operationId: 'listMaps',
  request: 'GET /v1/map/jobs',
  takesTurns: true,
  summary: 'List maps, newest first',
  query: JobsOfSiteQuery,
  response: { description: 'A page of them.', body: MapJobList },
  examples: mapExamples.list,

  handle: (request, { maps }) =>
    listOfJobs(maps.list, request, ({ job, task }) => mapHead(job, task)),
})

const getMap = defineRoute('map', {
  operationId: 'getMap',
  request: 'GET /v1/map/:job_id',
  mayTakeLong: true,
  aliases: ['/v1/map/jobs/:job_id'],
  summary: 'Get a map by its id',
  params: JobPath,
  response: { description: 'The map.', body: MapJob },
  failures: ['NOT_FOUND'],
  examples: mapExamples.get,

  async handle({ account, params, disconnected }, { maps }) {
    const { job, task } = await maps.get(account.id, params.job_id)
    const links = await maps.readLinks(task, disconnected)
    return assemble(spliceJson(mapHead(job, task), 'links', [links ?? noLinks]))
  },
})

const noLinks = Buffer.from('[]')

export const mapRoutes: readonly Route[] = [mapSiteUrls, listMaps, getMap]
