import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import {
  type CallToolResult,
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'

/** The newest revision of the protocol, and the one before, whose clients begin with a handshake. */
export const mcpRevisions = ['2026-07-28', '2025-11-25'] as const
export type McpRevision = (typeof mcpRevisions)[number]

/** A result of a tool: what the service says about the output, and the output itself. */
export interface McpOutput {
  about: Record<string, unknown>
  output: string
  isError: boolean
}

export interface McpTestClient {
  readonly client: Client
  call(name: string, args?: object, options?: RequestOptions): Promise<McpOutput>
}

/** The official client, connected to a service by HTTP. */
export function connectMcp(
  t: TestContext,
  { url, apiKey, revision }: { url: string; apiKey: string; revision: McpRevision },
): Promise<McpTestClient> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers: { 'x-api-key': apiKey } },
  })
  return connectMcpBy(t, transport, revision)
}

export async function connectMcpBy(
  t: TestContext,
  transport: Transport,
  revision: McpRevision,
): Promise<McpTestClient> {
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  t.after(() => client.close())
  assert.equal(client.getNegotiatedProtocolVersion(), revision)
  return {
    client,
    async call(name, args = {}, options = {}) {
      const params = { name, arguments: { ...args } }
      return toOutput((await client.callTool(params, options)) as CallToolResult)
    },
  }
}

function toOutput({ content, isError = false }: CallToolResult): McpOutput {
  const [about, output] = content.map((block) => (block.type === 'text' ? block.text : ''))
  return { about: JSON.parse(about ?? ''), output: output ?? '', isError }
}
