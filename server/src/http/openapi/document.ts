/** The parts of OpenAPI 3.1 that we use. */

export type JsonSchema = Record<string, unknown>

/** An operation in full. */
export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  /** Alternatives. An empty object makes credentials optional; an empty list means that none are needed. */
  security: SecurityRequirement[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, MediaType> }
  responses: Record<string, ResponseObject>
}

/** An operation as the document has it: what other operations repeat is a reference. */
export interface ReferringOperation extends Omit<Operation, 'parameters' | 'responses'> {
  parameters?: Referable<Parameter>[]
  responses: Record<string, Referable<ResponseObject>>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
  examples?: Record<string, Example>
}

export interface ResponseObject {
  description: string
  headers?: Record<string, Reference>
  content: Record<string, MediaType>
}

interface MediaType {
  schema: JsonSchema
  'x-item-schema'?: JsonSchema
  examples?: Record<string, Referable<Example>>
}

export interface Example {
  summary: string
  value: unknown
}

export interface HeaderObject {
  description: string
  schema: JsonSchema
}

interface Reference {
  $ref: string
}

/** A value, or a reference to the component that holds it. */
export type Referable<Value> = Value | Reference

export type SecurityRequirement = Record<string, never[]>

export type SecurityScheme = { description: string } & (
  | { type: 'http'; scheme: 'basic' | 'bearer' }
  | { type: 'apiKey'; in: 'header' | 'query' | 'cookie'; name: string }
)

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: Record<string, string> }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, ReferringOperation>>
  /** What the service sends: by the name of the event. */
  webhooks: Record<string, { post: ReferringOperation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, ResponseObject>
    parameters: Record<string, Parameter>
    examples: Record<string, Example>
    headers: Record<string, HeaderObject>
    securitySchemes: Record<string, SecurityScheme>
  }
}
