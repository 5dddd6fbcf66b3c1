/** As much of OpenAPI 3.1 as we write and read. */

export type JsonSchema = Record<string, unknown>

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: {
    name: string
    in: 'path' | 'query' | 'header'
    required: boolean
    description?: string
    schema: JsonSchema
  }[]
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema }> }
  responses: Record<
    string,
    { description: string; content: Record<string, { schema: JsonSchema }> }
  >
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: Record<string, string> }
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema> }
}
