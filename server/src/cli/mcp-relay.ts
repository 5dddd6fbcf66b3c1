import type {
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
} from '@modelcontextprotocol/server'
import { Failure } from '../domain/failure.ts'
import { callService } from './call-service.ts'
import { readEvents } from './read-events.ts'
import { splitLines } from './split-lines.ts'

export interface McpRelay extends AsyncDisposable {
  /** Resolves when stdin has ended. */
  readonly ended: Promise<void>
}

interface RelayTarget {
  url: URL
  apiKey: string | undefined
  keyOrigin: string | undefined
}

type Sent = JSONRPCRequest | JSONRPCNotification
type RequestId = JSONRPCRequest['id']

/**
 * Passes messages from stdin to the service and its responses to stdout, each request as an HTTP request of
 * its own. So the tools exist once, in the service.
 */
export async function startMcpRelay(target: RelayTarget): Promise<McpRelay> {
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
      for await (const received of exchange(target, message, call.signal)) {
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
    const data = error instanceof Failure ? { code: error.code } : undefined
    await stdio
      .send({ jsonrpc: '2.0', id, error: { code: serverError, message, ...(data && { data }) } })
      .catch(() => undefined)
  }
}

/** JSON-RPC leaves this code to servers. */
const serverError = -32_000

async function* exchange(
  { url, apiKey, keyOrigin }: RelayTarget,
  message: Sent,
  signal: AbortSignal,
): AsyncGenerator<JSONRPCMessage> {
  const response = await callService({
    method: 'POST',
    url,
    apiKey,
    keyOrigin,
    headers: { accept: 'application/json, text/event-stream', ...headersOf(message) },
    body: message,
    signal,
    isExpectedError: isJsonRpc,
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream && response.body) {
    for await (const { data } of readEvents(splitLines(response.body, lineLimit))) {
      if (data !== '') yield JSON.parse(data) as JSONRPCMessage
    }
    return
  }
  const text = await response.text()
  if (text !== '') yield JSON.parse(text) as JSONRPCMessage
}

// A tool returns a million characters at most, which JSON may escape.
const lineLimit = {
  bytesMax: 64 * 2 ** 20,
  tooLong: () => new Error('The service sent an event that is too long.'),
}

const isJsonRpc = (text: string): boolean => /^\s*\{\s*"jsonrpc"/.test(text)

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
