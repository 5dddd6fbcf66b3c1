/** The parts of OpenAPI 3.1 that we use. */

export type JsonSchema = Record<string, unknown>

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Alternatives. An empty object makes credentials optional; an empty list means that none are needed. */
  security: SecurityRequirement[]
  parameters?: {
    name: string
    in: 'path' | 'query' | 'header'
    required: boolean
    description?: string
    schema: JsonSchema
    examples?: Record<string, Example>
  }[]
  requestBody?: { required: true; content: Record<string, MediaType> }
  responses: Record<string, { description: string; content: Record<string, MediaType> }>
}

interface MediaType {
  schema: JsonSchema
  examples?: Record<string, Example>
}

export interface Example {
  summary: string
  value: unknown
}

export type SecurityRequirement = Record<string, never[]>

export type SecurityScheme = { description: string } & (
  | { type: 'http'; scheme: 'basic' | 'bearer' }
  | { type: 'apiKey'; in: 'header' | 'query'; name: string }
)

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: Record<string, string> }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    securitySchemes: Record<string, SecurityScheme>
  }
}
