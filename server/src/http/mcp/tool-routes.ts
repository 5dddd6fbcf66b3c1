import type { Tool } from '@modelcontextprotocol/server'
import { createRouteCaller } from '../call-route.ts'
import type { Route } from '../route.ts'
import type { ToolRoute } from './call-tool.ts'
import { type McpTool, mcpTools } from './mcp-tools.ts'
import { argumentNames, toolInputSchema } from './tool-schema.ts'

/** The routes behind the tools, and the list of tools; each is made for the first call that needs it. */
export function createToolRoutes(options: { routes: readonly Route[]; bodyBytesMax: number }) {
  const callers = new Map<string, ToolRoute>()
  let listed: Tool[] | undefined

  return {
    listTools: () => (listed ??= mcpTools.map(describe)),
    routeOf(operationId: string): ToolRoute {
      const known = callers.get(operationId)
      if (known) return known
      const route = findRoute(operationId)
      const made = { call: createRouteCaller(route, options), ...argumentNames(route) }
      callers.set(operationId, made)
      return made
    },
  }

  function describe(tool: McpTool): Tool {
    const { name, title, description, annotations, operations } = tool
    const routes = operations.map(({ operationId }) => findRoute(operationId))
    return {
      name,
      title,
      description,
      annotations: { title, ...annotations },
      // What zod generates is JSON, although its type does not say so.
      inputSchema: toolInputSchema(tool, routes) as Tool['inputSchema'],
    }
  }

  function findRoute(operationId: string): Route {
    const route = options.routes.find((one) => one.operationId === operationId)
    if (!route) throw new Error(`No route has the operationId ${operationId}.`)
    return route
  }
}
