import { type PlainCall, readLines, readServerSentEvents, type Trawl, TrawlError } from '@trawl/sdk'
import { explainCall } from '../client/service-client.ts'

/**
 * Passes messages from stdin to the service and its responses to stdout, each request as an HTTP request of
 * its own, until stdin ends. So the tools exist once, in the service.
 */
export async function relayMcp(trawl: Trawl): Promise<void> {
  const running = new Map<RpcRequest['id'], AbortController>()
  const problem = (words: string) =>
    console.error(`A message could not be read or written: ${words}`)
  try {
    for await (const message of readMessages(problem)) {
      // A response: the service never asks its clients anything.
      if (message.method === undefined) continue
      if (message.method === 'notifications/cancelled') {
        // The service takes a closed connection for the cancellation of its call.
        running.get(message.params?.['requestId'] as RpcRequest['id'])?.abort()
      } else {
        void relay(message).catch((error: Error) => problem(error.message))
      }
    }
  } finally {
    for (const call of running.values()) call.abort()
  }

  async function relay(message: RpcRequest): Promise<void> {
    const { id } = message
    const call = new AbortController()
    if (id !== undefined) running.set(id, call)
    try {
      for await (const received of exchange(trawl, message, call.signal)) {
        await writeMessage(received)
      }
    } catch (error) {
      if (!call.signal.aborted) await report(error as Error, id)
    } finally {
      if (id !== undefined && running.get(id) === call) running.delete(id)
    }
  }
}

/** JSON-RPC leaves this code to servers. */
const serverError = -32_000

async function report(error: Error, id: RpcRequest['id']): Promise<void> {
  const explained = error instanceof TrawlError ? explainCall(error) : undefined
  const { message, code } = { message: error.message, code: undefined, ...explained }
  console.error(message)
  if (id === undefined) return
  const said = { code: serverError, message, ...(code && { data: { code } }) }
  await writeMessage({ jsonrpc: '2.0', id, error: said }).catch(() => undefined)
}

async function* exchange(
  trawl: Trawl,
  message: RpcRequest,
  signal: AbortSignal,
): AsyncGenerator<object> {
  const headers = { accept: 'application/json, text/event-stream', ...headersOf(message) }
  const call: PlainCall = { method: 'POST', path: '/mcp', headers, body: message, isStream: true }
  const options = { signal, timeout: Number.POSITIVE_INFINITY, maxRetries: 0 }
  const response = await trawl.request(call, options).catch(asResponse)
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  if (isStream) {
    for await (const { data } of readServerSentEvents(response.body)) {
      if (data !== '') yield JSON.parse(data)
    }
    return
  }
  const text = await response.text()
  if (text !== '') yield JSON.parse(text)
}

/** An error of JSON-RPC is a message for the program. */
function asResponse(error: unknown): Response {
  const body = error instanceof TrawlError ? error.body : undefined
  if ((body as { jsonrpc?: unknown } | undefined)?.jsonrpc === undefined) throw error
  return Response.json(body)
}

/** Since revision 2026-07-28 HTTP repeats in headers what a message says. */
function headersOf({ method, params }: RpcRequest): Record<string, string> {
  const facts = params?.['_meta'] as Record<string, unknown> | undefined
  const version = facts?.['io.modelcontextprotocol/protocolVersion']
  if (typeof version !== 'string') return {}
  const name = params?.['name']
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(method === 'tools/call' && typeof name === 'string' && { 'mcp-name': name }),
  }
}

/** A message of JSON-RPC that asks for something; a response has no method. */
interface RpcRequest {
  method: string
  /** A notification has none. */
  id?: string | number
  params?: Record<string, unknown>
}

/** Yields the messages on stdin, one a line, until it ends; what is none is reported. */
async function* readMessages(
  report: (problem: string) => void,
): AsyncGenerator<RpcRequest, void, undefined> {
  for await (const line of readLines(process.stdin)) {
    const message = parseMessage(line)
    if (message) yield message
    else if (line.trim() !== '') report('It is not a message of JSON-RPC.')
  }
}

function parseMessage(line: string): RpcRequest | undefined {
  try {
    const message = JSON.parse(line) as { jsonrpc?: unknown; method?: unknown }
    return message.jsonrpc === '2.0' ? (message as RpcRequest) : undefined
  } catch {
    return undefined
  }
}

const writeMessage = (message: object): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${JSON.stringify(message)}\n`, (error) =>
      error ? reject(error) : resolve(),
    )
  })
