import { type PlaygroundOperation, playgroundOperations } from './playground-request.ts'

/** The part of JSON Schema that the requests of the service are described with. */
export interface OptionSchema {
  $ref?: string
  type?: string | readonly string[]
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly OptionSchema[]
  items?: OptionSchema
  properties?: Readonly<Record<string, OptionSchema>>
  required?: readonly string[]
  minimum?: number
  maximum?: number
}

interface ApiDescription {
  paths?: Record<string, { post?: { requestBody?: { content?: JsonContent } } } | undefined>
  components?: { schemas?: Record<string, OptionSchema | undefined> }
}

type JsonContent = { 'application/json'?: { schema?: OptionSchema } }

/** Finds schemas in the OpenAPI description of the service. */
export class SchemaBook {
  readonly #description: ApiDescription

  constructor(description: object) {
    this.#description = description
  }

  getRequestSchema(operation: PlaygroundOperation): OptionSchema {
    const { path } = playgroundOperations[operation]
    const content = this.#description.paths?.[path]?.post?.requestBody?.content
    const schema = content?.['application/json']?.schema
    if (!schema) throw new Error(`The description of the service has no request for ${path}.`)
    return this.resolve(schema)
  }

  /** The schema that a reference leads to; what stands beside the reference wins. */
  resolve(schema: OptionSchema): OptionSchema {
    const { $ref, ...beside } = schema
    if ($ref === undefined) return schema
    const named = this.#description.components?.schemas?.[$ref.replace(/^.*\//, '')]
    if (!named) throw new Error(`The description of the service has no ${$ref}.`)
    return { ...this.resolve(named), ...beside }
  }
}
