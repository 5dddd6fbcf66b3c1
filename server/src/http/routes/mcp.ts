import { z } from 'zod'
import { hasMoreNames } from '../../domain/scrape/option-kinds.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

/** A message of JSON-RPC 2.0; the method decides what else it has. */
const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Names the request; a notification has none.'),
    method: z.string().optional().describe('Such as `tools/list` or `tools/call`.'),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'McpMessage' })

const handleMcpMessage = defineRoute('mcp', {
  operationId: 'handleMcpMessage',
  request: 'POST /mcp',
  mayTakeLong: true,
  summary: 'Send a message of the Model Context Protocol',
  description:
    'Streamable HTTP without sessions: each message is a request of its own, and a request is answered by a stream of events, progress first and the response last. Disconnecting cancels a call. Pages of other origins are refused.',
  body: McpMessage,
  // A batch can be as large as over HTTP; other tools refuse what their routes would refuse.
  bodyBytesMax: 5 * 2 ** 20 + 2 ** 16,
  response: {
    description: 'The response, alone or after notifications.',
    body: McpMessage,
    alsoAs: ['text/event-stream'],
  },
  otherResponses: [
    {
      status: 202,
      description: 'A notification was received; there is no body.',
      body: z.string(),
      contentType: 'text/plain',
    },
    {
      status: 400,
      description: 'The headers do not fit the message, or the revision is not known.',
      body: McpMessage,
    },
  ],
  isForOwnPagesOnly: true,
  examples: {
    tools: {
      summary: 'List the tools',
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    },
    extract: {
      summary: 'Read a page',
      body: {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'extract', arguments: { url: 'https://example.com/article' } },
      },
    },
  },

  async handle({ account, body, raw, disconnected, correlationId }, { handleMcpMessage: respond }) {
    requireFewNames(body.params, ['params'])
    requireFewNames(body.params?.['arguments'], ['params', 'arguments'])
    const {
      status,
      headers,
      body: sent,
    } = await respond({
      account,
      message: body,
      headers: raw.headers,
      disconnected,
      correlationId,
    })
    return new RouteResponse(sent ?? '', { status, headers })
  },
})

const namesMax = 1_000

/** No tool has that many arguments, and each name passes several schemas: 9 000 took 40 ms. */
function requireFewNames(given: unknown, path: readonly string[]): void {
  if (!hasMoreNames(given, namesMax)) return
  const msg = `Dictionary should have at most ${namesMax} items`
  throw new InvalidRequest([{ loc: ['body', ...path], msg, type: 'too_long' }])
}

export const mcpRoutes: readonly Route[] = [handleMcpMessage]
