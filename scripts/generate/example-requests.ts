import type { OpenApiDocument, Operation } from '../../server/src/http/openapi/document.ts'
import { listOperations, type PlacedOperation } from '../../server/src/http/openapi/operations.ts'

/** How a request authenticates: the first way that its operation offers. */
type RequestAuth = 'none' | 'key' | 'password'

/** One request that people can send, from an example of an operation. */
export interface ExampleRequest {
  /** An identifier of its own. */
  name: string
  title: string
  method: string
  /** With `{name}` where a parameter stands. */
  path: string
  auth: RequestAuth
  query: [name: string, value: string][]
  body: unknown
}

/** Every example of every operation as a request; an operation without one is a request by itself. */
export function exampleRequests(api: OpenApiDocument): ExampleRequest[] {
  return listOperations(api).flatMap(requestsOf)
}

function requestsOf({ path, method, operation }: PlacedOperation): ExampleRequest[] {
  const { operationId, summary, parameters = [] } = operation
  const bodies = operation.requestBody?.content['application/json']?.examples ?? {}
  const shown = [bodies, ...parameters.map(({ examples = {} }) => examples)]
  const names = new Set(shown.flatMap(Object.keys))
  const all = names.size > 0 ? [...names] : ['']
  return all.map((name, index) => {
    const examples = shown.map((one) => one[name]).filter((one) => one !== undefined)
    const about = examples.find((one) => 'summary' in one)
    const body = bodies[name]
    return {
      name: index === 0 ? operationId : `${operationId}_${name}`,
      title: about && all.length > 1 ? `${summary}: ${about.summary}` : summary,
      method: method.toUpperCase(),
      path,
      auth: authOf(operation),
      query: parameters.flatMap((one) => {
        const value = one.in === 'query' ? one.examples?.[name]?.value : undefined
        return value === undefined ? [] : [[one.name, String(value)] as [string, string]]
      }),
      body: body && 'value' in body ? body.value : undefined,
    }
  })
}

function authOf({ security }: Operation): RequestAuth {
  if (security.some((one) => 'apiKeyAuth' in one)) return 'key'
  return security.some((one) => 'basicAuth' in one) ? 'password' : 'none'
}

/** The names of the parameters in all paths, which are variables of the file. */
export const pathParameters = (requests: readonly ExampleRequest[]): string[] =>
  [...new Set(requests.flatMap(({ path }) => path.match(/(?<=\{)\w+(?=\})/g) ?? []))].sort()

export const exampleId = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'

export const defaultUrl = 'http://127.0.0.1:8080'
