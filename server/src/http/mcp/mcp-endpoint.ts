/**
 * MCP, by which language models use the service. A tool is a route under another name: it is called with the
 * same validation, limits and admission control, so nothing can be done here that HTTP would refuse. Every
 * message is served by itself: no session is kept, whichever revision of the protocol the client speaks.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { Failure } from '../../domain/failure.ts'
import { AdmissionRejected } from '../../domain/service/admission-rules.ts'
import type { Log } from '../../runtime/log.ts'
import type { Metrics } from '../../runtime/metrics.ts'
import { version } from '../../runtime/version.ts'
import { toProblem } from '../errors/problem.ts'
import { untilAborted } from '../requests/disconnected.ts'
import type { Route } from '../route.ts'
import type { UseCases } from '../use-cases.ts'
import { callTool, type ToolCall } from './call-tool.ts'
import type { JobHead } from './follow-job.ts'
import type { McpRequest, McpResponse } from './mcp-exchange.ts'
import { type McpTool, mcpInstructions, mcpTools } from './mcp-tools.ts'
import { RunningCalls } from './running-calls.ts'
import { problemResult } from './tool-failure.ts'
import type { ToolResult } from './tool-output.ts'
import { createToolRoutes } from './tool-routes.ts'

interface McpEndpointOptions {
  routes: readonly Route[]
  bodyBytesMax: number
  /** Calls that wait for a job end early while the service drains. */
  drain: { readonly isDraining: boolean }
  log: Log
  metrics: Pick<Metrics, 'mcpCalls' | 'admissionRejected'>
}

export type McpEndpoint = (request: McpRequest, useCases: UseCases) => Promise<McpResponse>

const toolsListedMs = 60_000
/** What the SDK takes of the event loop for a message, in many small steps. */
const messageMs = 1.1

export function createMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  const { drain, log, metrics } = options
  const toolRoutes = createToolRoutes(options)
  const running = new RunningCalls()

  return async (request, useCases) => {
    const { eventLoopShares } = useCases
    await eventLoopShares.run(request.account.id, () => undefined, {
      laterMs: messageMs,
      watch: untilAborted(request.disconnected),
    })
    // Loaded for the first client, since a start can do without the quarter of a second it takes.
    const sdk = await import('@modelcontextprotocol/server')
    const cancelled = new AbortController()
    const signal = AbortSignal.any([request.disconnected, cancelled.signal])
    const session = sessionOf(request)
    running.cancelNamedBy(request, session)
    const serve = () => {
      const capabilities = { tools: {} }
      const cacheHints = { 'tools/list': { ttlMs: toolsListedMs } }
      const described = { capabilities, cacheHints, instructions: mcpInstructions }
      const served = new sdk.McpServer({ name: 'trawl', title: 'Trawl', version }, described)
      addToolHandlers(served)
      return served
    }
    const handler = sdk.createMcpHandler(serve, {
      // Always a stream, whose comments keep the connection of a waiting call alive.
      responseMode: 'sse',
      // No tool ever changes while the service runs, so there is nothing to subscribe to.
      maxSubscriptions: 0,
      onerror: (err) => log.debug({ requestId: request.correlationId, err }, 'MCP message refused'),
    })
    const response = await handler.fetch(toWebRequest(request, signal), {
      parsedBody: request.message,
    })
    return toMcpResponse(response, request)

    function addToolHandlers({ server }: McpServer): void {
      server.setRequestHandler('tools/list', () => ({ tools: toolRoutes.listTools() }))
      server.setRequestHandler('tools/call', async ({ params }, context) => {
        const tool = mcpTools.find(({ name }) => name === params.name)
        if (!tool) throw unknownTool(sdk)
        const { account } = request
        const place = { accountId: account.id, session, requestId: context.mcpReq.id, cancelled }
        using _place = running.tryStart(place)
        if (!_place) return problemResult(toProblem(tooManyCalls(), request.correlationId))
        // Awaited here, so that the call keeps its place until it has ended.
        return await runTool(tool, params.arguments ?? {}, {
          account,
          correlationId: request.correlationId,
          signal,
          useCases,
          routeOf: toolRoutes.routeOf,
          report: progressReporter(context),
          isStopping: () => drain.isDraining,
        })
      })
    }
  }

  /** The only place that turns a failure of a tool into its result. */
  async function runTool(
    tool: McpTool,
    given: Record<string, unknown>,
    call: ToolCall,
  ): Promise<ToolResult> {
    const count = (outcome: string) => metrics.mcpCalls.inc({ tool: tool.name, outcome })
    try {
      const result = await callTool(tool, given, call)
      count(result.isError ? 'failed' : 'completed')
      return result
    } catch (error) {
      if (call.signal.aborted) count('cancelled')
      else {
        count('failed')
        if (error instanceof AdmissionRejected) metrics.admissionRejected.inc({ code: error.code })
        else if (!(error instanceof Failure)) {
          const requestId = call.correlationId
          log.error({ requestId, tool: tool.name, err: error }, 'call of an MCP tool failed')
        }
      }
      return problemResult(toProblem(error, call.correlationId))
    }
  }
}

/** Reports to a client that gave a token for it. */
function progressReporter({ mcpReq }: ServerContext): ToolCall['report'] {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  return ({ status, done, total }: JobHead) =>
    mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress: done, total, message: `${status}: ${done} of ${total}` },
    })
}

const sessionHeader = 'mcp-session-id'

const sessionOf = ({ headers }: McpRequest): string | undefined =>
  headers[sessionHeader]?.toString()

const protocolHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

function toWebRequest({ headers }: McpRequest, signal: AbortSignal): Request {
  const kept = protocolHeaders.flatMap((name): [string, string][] => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value.toString()]]
  })
  const { accept } = headers
  // Clients that name nothing, such as curl, take what comes.
  const accepted =
    accept === undefined || accept.includes('*/*') ? 'application/json, text/event-stream' : accept
  return new Request('http://trawl.invalid/mcp', {
    method: 'POST',
    headers: [...kept, ['accept', accepted]],
    signal,
  })
}

/**
 * Clients of revisions before 2026-07-28 cancel a call by a message of its own. The id of a session pairs
 * the two, and is all there is to a session: nothing is kept under it but the calls that run.
 */
function toMcpResponse(response: Response, { message }: McpRequest): McpResponse {
  const type = response.headers.get('content-type')
  const isOpening = message['method'] === 'initialize' && response.ok
  return {
    status: response.status,
    headers: {
      ...(type !== null && { 'content-type': type }),
      'cache-control': 'no-store',
      ...(isOpening && { [sessionHeader]: randomUUID() }),
    },
    body: response.body ? Readable.fromWeb(response.body as ReadableStream) : undefined,
  }
}

const unknownTool = (sdk: typeof import('@modelcontextprotocol/server')) =>
  new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    'There is no such tool; see tools/list.',
  )

const tooManyCalls = () =>
  new Failure('RATE_LIMITED', 'Too many calls of this account run at once. Wait for some to end.', {
    retryAfterSeconds: 1,
  })
