import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
} from '@modelcontextprotocol/server'
import { type PlainCall, readServerSentEvents, TrawlError } from '../../../sdk/src/index.ts'
import { CommandFailure } from './command-failure.ts'
import type { ServiceClient } from './service-client.ts'

export interface McpRelay extends AsyncDisposable {
  /** Resolves when stdin has ended. */
  readonly ended: Promise<void>
}

type Sent = JSONRPCRequest | JSONRPCNotification
type RequestId = JSONRPCRequest['id']

/**
 * Passes messages from stdin to the service and its responses to stdout, each request as an HTTP request of
 * its own. So the tools exist once, in the service.
 */
export async function startMcpRelay(service: ServiceClient): Promise<McpRelay> {
  // Loaded here, since no other command needs it.
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const stdio = new StdioServerTransport()
  const running = new Map<RequestId, AbortController>()
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>()

  stdio.onclose = () => {
    for (const call of running.values()) call.abort()
    onEnd()
  }
  stdio.onerror = (error) =>
    console.error(`A message could not be read or written: ${error.message}`)
  stdio.onmessage = (message) => {
    // A response: the service never asks its clients anything.
    if (!('method' in message)) return
    void relay(message)
  }
  await stdio.start()
  return { ended, [Symbol.asyncDispose]: () => stdio.close() }

  async function relay(message: Sent): Promise<void> {
    if (message.method === 'notifications/cancelled') {
      // The service takes a closed connection for the cancellation of its call.
      running.get(message.params?.['requestId'] as RequestId)?.abort()
      return
    }
    const id = 'id' in message ? message.id : undefined
    const call = new AbortController()
    if (id !== undefined) running.set(id, call)
    try {
      for await (const received of exchange(service, message, call.signal)) {
        await stdio.send(received)
      }
    } catch (error) {
      if (!call.signal.aborted) await report(error, id)
    } finally {
      if (id !== undefined && running.get(id) === call) running.delete(id)
    }
  }

  async function report(error: unknown, id: RequestId | undefined): Promise<void> {
    const { message } = error as Error
    console.error(message)
    if (id === undefined) return
    const data = error instanceof CommandFailure ? { code: error.code } : undefined
    await stdio
      .send({ jsonrpc: '2.0', id, error: { code: serverError, message, ...(data && { data }) } })
      .catch(() => undefined)
  }
}

/** JSON-RPC leaves this code to servers. */
const serverError = -32_000

async function* exchange(
  service: ServiceClient,
  message: Sent,
  signal: AbortSignal,
): AsyncGenerator<JSONRPCMessage> {
  const headers = { accept: 'application/json, text/event-stream', ...headersOf(message) }
  const call: PlainCall = { method: 'POST', path: '/mcp', headers, body: message, isStream: true }
  const options = { signal, timeout: Number.POSITIVE_INFINITY, maxRetries: 0 }
  const response = await service.call((trawl) => trawl.request(call, options).catch(asResponse))
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) {
    for await (const { data } of readServerSentEvents(response.body)) {
      if (data !== '') yield JSON.parse(data) as JSONRPCMessage
    }
    return
  }
  const text = await response.text()
  if (text !== '') yield JSON.parse(text) as JSONRPCMessage
}

/** An error of JSON-RPC is a message for the program. */
function asResponse(error: unknown): Response {
  const { body } = error instanceof TrawlError ? error : {}
  if ((body as { jsonrpc?: unknown } | undefined)?.jsonrpc === undefined) throw error
  return Response.json(body)
}

/** Since revision 2026-07-28 HTTP repeats in headers what a message says. */
function headersOf({ method, params }: Sent): Record<string, string> {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  if (typeof version !== 'string') return {}
  const name = params?.['name']
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(method === 'tools/call' && typeof name === 'string' && { 'mcp-name': name }),
  }
}
