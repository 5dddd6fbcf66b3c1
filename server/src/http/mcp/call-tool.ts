import { z } from 'zod'
import type { Account } from '../../domain/account/account.ts'
import type { CalledResponse, RouteCaller } from '../call-route.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { partsReader } from '../requests/validate.ts'
import type { UseCases } from '../use-cases.ts'
import { followJob, type JobHead } from './follow-job.ts'
import { type FollowedJobTool, type McpTool, OutputArguments, waitArgument } from './mcp-tools.ts'
import { errorResult } from './tool-failure.ts'
import {
  mayBeUnparsedAsJob,
  type OutputRange,
  readJson,
  sliceOfPage,
  sliceOfStream,
  type ToolResult,
  toToolResult,
} from './tool-output.ts'

type Arguments = Record<string, unknown>

/** A route that tools call, with the names of the arguments that are not in its body. */
export interface ToolRoute {
  call: RouteCaller
  ofPath: readonly string[]
  ofQuery: readonly string[]
}

/** On whose behalf a tool runs, and how it reaches the caller. */
export interface ToolCall {
  account: Account
  correlationId: string
  signal: AbortSignal
  useCases: UseCases
  routeOf(operationId: string): ToolRoute
  report: ((head: JobHead) => Promise<void>) | undefined
  isStopping(): boolean
}

/** Calls the routes of a tool. Failures of routes are thrown; failed extractions are returned. */
export async function callTool(
  tool: McpTool,
  given: Arguments,
  call: ToolCall,
): Promise<ToolResult> {
  const { operationId, kind } = chooseOperation(tool, given)
  const { wait, ...range } = readOwnArguments(tool, given)
  const args = { ...tool.defaults, ...withoutOwn(given) }
  if (tool.following) {
    return callFollowing(tool.following, args, { operationId, range, waitMs: wait * 1000 }, call)
  }
  const response = await send(operationId, args, call)
  const jobId = response.headers['x-job-id'] ?? textOf(args['job_id'])
  if (response.status >= 400) return errorResult(await readJson(response), jobId)
  const isPage = pageOperations.has(operationId) && response.status === 200
  const { slice, facts } = isPage
    ? await slicePage(response, { operationId, jobId, range }, call)
    : { slice: await sliceOfStream(response.body, range), facts: {} }
  return toToolResult(slice, range, {
    facts: { ...(jobId !== undefined && { job_id: jobId }), ...facts },
    continueWith: continueWith({ tool: tool.name, kind, jobId }),
  })
}

const pageOperations: ReadonlySet<string> = new Set(['extractPage', 'getExtractJob'])

async function slicePage(
  response: CalledResponse,
  asked: { operationId: string; jobId: string | undefined; range: OutputRange },
  call: ToolCall,
) {
  const { operationId, jobId, range } = asked
  const isJob = operationId === 'getExtractJob'
  if (isJob || !mayBeUnparsedAsJob(response)) return sliceOfPage(response, range, readerOf(call))
  // Later calls go on with the job, so this one has to count in its text too.
  response.body.destroy()
  const ofJob = await send('getExtractJob', { job_id: jobId }, call)
  return sliceOfPage(ofJob, range, readerOf(call))
}

/** The output of an extraction or a map is stored: going on fetches nothing again. */
function continueWith(asked: { tool: string; kind: string; jobId: string | undefined }): string {
  const { tool, kind, jobId } = asked
  if (jobId === undefined) return `"${tool}", the same arguments`
  const ofJob = tool === 'map' ? 'map' : kind
  const isNamed = ofJob === 'map' || ofJob === 'any'
  return `"job"${isNamed ? `, kind "${ofJob}"` : ''}, job_id "${jobId}"`
}

interface Following {
  operationId: string
  range: OutputRange
  waitMs: number
}

async function callFollowing(
  job: FollowedJobTool,
  args: Arguments,
  { operationId, range, waitMs }: Following,
  call: ToolCall,
): Promise<ToolResult> {
  const jobId = job.startsJob ? await startJob(operationId, args, call) : args['job_id']
  const path = { job_id: jobId }
  const head = await followJob(
    {
      // Past the last page, so that no result is read.
      read: async () =>
        toHead(await json(job.get, { ...path, page: 1_000_000, page_size: 1 }, call)),
      cancel: () => json(job.cancel, path, { ...call, signal: new AbortController().signal }),
      report: call.report,
      isStopping: call.isStopping,
    },
    { waitMs, signal: call.signal, cancelsJob: job.startsJob },
  )
  const shown = await send(job.get, job.startsJob ? path : args, call)
  const statusTool = job.get === 'getBatch' ? 'batch_status' : 'crawl_status'
  return toToolResult(await sliceOfStream(shown.body, range), range, {
    facts: {
      ...head.facts,
      ...(!head.isEnded && {
        still_running: `Call "${statusTool}" with this job_id and "wait" for its end.`,
      }),
    },
    continueWith: `"${statusTool}", job_id "${jobId}"${job.startsJob ? '' : ', the same page'}`,
  })
}

async function startJob(operationId: string, args: Arguments, call: ToolCall): Promise<string> {
  const { job_id: jobId } = await json(operationId, args, call)
  return z.string().parse(jobId)
}

const CountsOfJob = z.looseObject({ job_id: z.string(), status: z.string() })

function toHead(body: Arguments): JobHead {
  const { results, batch_config, crawl_config, token_summary, delivery, invalid_urls, ...facts } =
    CountsOfJob.parse(body)
  // Batches count URLs and crawls count pages.
  const count = (name: string) => Number(facts[`${name}_urls`] ?? facts[`${name}_pages`] ?? 0)
  return {
    status: facts.status,
    isEnded: facts['completed_at'] !== null,
    total: count('total'),
    done: count('completed') + count('failed') + count('cancelled'),
    facts,
  }
}

const json = async (operationId: string, args: Arguments, call: ToolCall) =>
  readJson(await send(operationId, args, call))

const readerOf = ({ account, signal, useCases: { cutPage } }: ToolCall) => ({
  accountId: account.id,
  signal,
  cutPage,
})

async function send(operationId: string, args: Arguments, call: ToolCall): Promise<CalledResponse> {
  const { call: callRoute, ofPath, ofQuery } = call.routeOf(operationId)
  const pick = (names: readonly string[]) =>
    Object.fromEntries(
      names.filter((name) => (args[name] ?? null) !== null).map((name) => [name, args[name]]),
    )
  const query = Object.entries(pick(ofQuery)).map(([name, value]) => [name, queryText(value)])
  return callRoute(
    {
      account: call.account,
      params: pick(ofPath),
      query: Object.fromEntries(query),
      body: args,
      disconnected: call.signal,
      correlationId: call.correlationId,
    },
    call.useCases,
  )
}

/** A query has texts only; what is no plain value is left for validation to refuse. */
const queryText = (value: unknown): unknown => (typeof value === 'object' ? value : String(value))

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

function chooseOperation({ operations }: McpTool, { kind }: Arguments) {
  const [first] = operations
  if (operations.length === 1 || kind === undefined || kind === null) return first
  const chosen = operations.find((one) => one.kind === kind)
  if (chosen) return chosen
  const msg = `Input should be ${operations.map((one) => `'${one.kind}'`).join(' or ')}`
  throw new InvalidRequest([{ loc: ['body', 'kind'], msg, type: 'literal_error' }])
}

const ownNames: ReadonlySet<string> = new Set(['max_length', 'offset', 'wait', 'kind'])

const withoutOwn = (given: Arguments): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !ownNames.has(name)))

function readOwnArguments({ following }: McpTool, given: Arguments) {
  // Other tools have no such argument, and ignore it as their routes ignore unknown fields.
  const wait = following ? waitArgument(following) : z.int().catch(0)
  const schema = OutputArguments.extend({ wait })
  const own = Object.entries(given).filter(([name, value]) => ownNames.has(name) && value !== null)
  const read = partsReader([{ part: 'body', schema, key: 'body' }])
  const { body } = read({ params: {}, query: {}, headers: {}, body: Object.fromEntries(own) })
  return body as z.output<typeof schema>
}
