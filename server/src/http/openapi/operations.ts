import type { OpenApiDocument, Operation, Referable, ReferringOperation } from './document.ts'

export interface PlacedOperation {
  path: string
  /** In lower case, as the document has it. */
  method: string
  operation: Operation
}

/** Every operation of the document, without references to parameters and responses. */
export const listOperations = (api: OpenApiDocument): PlacedOperation[] =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: resolveOperation(api, operation),
    })),
  )

export function resolveOperation(
  { components }: Pick<OpenApiDocument, 'components'>,
  operation: ReferringOperation,
): Operation {
  const { parameters, responses, ...others } = operation
  const resolved = Object.entries(responses).map(
    ([status, response]) => [status, resolve(components.responses, response)] as const,
  )
  return {
    ...others,
    ...(parameters && {
      parameters: parameters.map((one) => resolve(components.parameters, one)),
    }),
    responses: Object.fromEntries(resolved),
  }
}

/** The value itself, or the component that a reference leads to. */
export function resolve<Value extends object>(
  components: Record<string, Value>,
  value: Referable<Value>,
): Value {
  if (!('$ref' in value)) return value
  const component = components[value.$ref.replace(/^.*\//, '')]
  if (!component) throw new Error(`The document has no ${value.$ref}.`)
  return component
}
