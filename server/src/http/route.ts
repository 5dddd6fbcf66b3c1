/**
 * The HTTP API. A route is declared once, as data and a handler; validation, types, OpenAPI document and
 * reference page come from the declaration. Routes see use cases only, never a store or an engine, and
 * only `problem.ts` turns failures into responses.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { AuthMethods } from '../accounts/authenticator.ts'
import type { RateLimit } from '../accounts/rate-limit.ts'
import type { Account } from '../domain/account/account.ts'
import type { FailureCode } from '../domain/failure.ts'
import type { NewWork } from '../tasks/admission-control.ts'
import type { RouteExample } from '../wire/route-example.ts'
import { type FamilyName, families } from './family.ts'
import type { ResponseHeaderName } from './openapi/headers.ts'
import type { UseCases } from './use-cases.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A declared response: JSON by a schema, or another media type. */
export interface ResponseBody<Body extends z.ZodType = z.ZodType> {
  /** 200 where a route does not say another. */
  status?: number
  description: string
  body: Body
  contentType?: string
  /** Other media types the body can have. */
  alsoAs?: readonly string[]
  /** Headers of its own that clients may need. */
  headers?: readonly ResponseHeaderName[]
  /** What each event of a stream carries. */
  items?: z.ZodType
}

export interface RouteDeclaration<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Family extends FamilyName = FamilyName,
  Headers extends z.ZodType = z.ZodType,
> {
  /** The name of the file, of the test and of the SDK's method. */
  operationId: string
  /** Its method and path, such as `GET /v1/tasks/:task_id`. */
  request: `${Method} /${string}`
  /** Further paths of the same operation. The API's description only mentions them. */
  aliases?: readonly string[]
  summary: string
  description?: string
  /** Why it is not in the description of the API, if it is not. */
  notInApi?: string
  /** Needs no credentials, although others of its family do. */
  isOpen?: boolean
  params?: Params
  query?: Query
  /** Headers that the route reads; all others are ignored. */
  headers?: Headers
  body?: Body
  /** The longest body it reads, where that is not the setting. */
  bodyBytesMax?: number
  response: ResponseBody<Response>
  /** Further responses that are no failures, such as a health body with 503. */
  otherResponses?: ResponseBody[]
  failures?: FailureCode[]
  /**
   * A 422 has the body that the clients of extractions read, instead of an error object: every one, or
   * only those about the target, while a bad request gets the validation object.
   */
  errorForm?: 'extraction' | 'extraction_of_target'
  /** By name. Tests run each of them. Its status is that of `response` where it does not say another. */
  examples?: Record<string, RouteExample>
  limit?: RateLimit
  /** For load balancers and monitoring: every process serves it, whatever its roles, until it exits. */
  isProbe?: boolean
  /** Finds the account that a signed link authenticates on this route; undefined if it is not valid. */
  findLinkOwner?(link: RawLink, useCases: UseCases): Promise<Account | undefined> | undefined
  /** Refuses a request whose `Origin` is not ours, even with an API key. */
  isForOwnPagesOnly?: boolean
  /** The kind of work it creates. Under overload the request is refused before its body is read. */
  newWork?: NewWork
  /** It may take the store long: few requests are handled at once, in turns by account. */
  takesTurns?: true
  /** It may wait for a page, a result or a turn of another kind, so it takes no turn of quick requests. */
  mayTakeLong?: true
  handle(
    request: RouteRequest<
      z.output<Params>,
      z.output<Query>,
      z.output<Body>,
      Family,
      z.output<Headers>
    >,
    useCases: UseCases,
  ): Promise<z.input<Response> | RouteResponse> | z.input<Response> | RouteResponse
}

/** A link before validation. */
interface RawLink {
  params: Record<string, string>
  query: Record<string, unknown>
}

interface RouteRequest<Params, Query, Body, Family extends FamilyName, Headers> {
  /** The authenticated account; the routes of the service itself need none. */
  account: Family extends 'service' ? undefined : Account
  params: Params
  query: Query
  body: Body
  headers: Headers
  /** Body and headers before validation, and the address of the caller. */
  raw: { body: unknown; headers: IncomingHttpHeaders; address: string }
  /** Aborted when the caller disconnects before the response was sent. */
  disconnected: AbortSignal
  correlationId: string
}

/** A declared route with what its declaration leaves out. */
export interface Route extends RouteDeclaration {
  family: FamilyName
  method: Method
  path: string
  response: ServedResponse
  otherResponses?: ServedResponse[]
  examples?: Record<string, RouteExample & { status: number }>
}

export type ServedResponse = ResponseBody & { status: number }

export const pathsOf = ({ path, aliases = [] }: Route): string[] => [path, ...aliases]

/** The credentials that a route accepts beside a password; undefined if it needs none. */
export const authMethodsOf = ({ family, isOpen }: Route): AuthMethods | undefined =>
  isOpen ? undefined : families[family].authMethods

/** Whether its requests are handled in turns by account. */
export const isHandledInTurn = (route: Route): boolean =>
  authMethodsOf(route) !== undefined && !route.mayTakeLong

/** What a handler returns to set status or headers other than the declared ones. */
export class RouteResponse {
  readonly body: unknown
  readonly status: number | undefined
  readonly headers: Record<string, string>

  constructor(body: unknown, options: { status?: number; headers?: Record<string, string> } = {}) {
    this.body = body
    this.status = options.status
    this.headers = options.headers ?? {}
  }
}

export function defineRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Family extends FamilyName,
  Headers extends z.ZodType,
>(
  family: Family,
  declaration: RouteDeclaration<Params, Query, Body, Response, Family, Headers>,
): Route {
  const [method, path] = declaration.request.split(' ')
  const { status = 200 } = declaration.response
  const examples = Object.entries(declaration.examples ?? {}).map(([name, example]) => [
    name,
    { status, ...example },
  ])
  return {
    ...declaration,
    family,
    method,
    path,
    response: { ...declaration.response, status },
    ...(declaration.examples && { examples: Object.fromEntries(examples) }),
  } as unknown as Route
}
