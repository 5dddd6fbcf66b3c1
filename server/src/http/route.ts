/**
 * Speaks HTTP. A route is declared once, as data and one function: from the declaration come the
 * validation, the types, the OpenAPI document and the reference page. Routes see use cases only,
 * never a store or an engine; failures become answers in `problem.ts` and nowhere else.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod'
import type { RequestLimit } from '../accounts/request-limit.ts'
import type { Account } from '../domain/account/account.ts'
import type { FailureCode } from '../domain/failure.ts'
import type { NewWork } from '../tasks/admission-control.ts'
import type { FamilyName } from './family.ts'
import type { UseCases } from './use-cases.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A body as documented: JSON by a schema, or another media type. */
export interface ResponseBody<Body extends z.ZodType = z.ZodType> {
  status: number
  description: string
  body: Body
  contentType?: string
  /** Media types in which it can come instead, as a text. */
  alsoAs?: readonly string[]
}

export interface RouteDeclaration<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answered extends z.ZodType = z.ZodType,
  Family extends FamilyName = FamilyName,
  Headers extends z.ZodType = z.ZodType,
> {
  /** The name of the file, of the test and of the SDK's method. */
  operationId: string
  method: Method
  path: string
  summary: string
  description?: string
  family: Family
  params?: Params
  query?: Query
  /** Headers that mean something to this route; all others are let through unseen. */
  headers?: Headers
  body?: Body
  answer: ResponseBody<Answered>
  /** Answers beside the usual one that are no failures, such as a health body with 503. */
  otherAnswers?: ResponseBody[]
  failures?: FailureCode[]
  limit?: RequestLimit
  /** Load balancers and monitoring depend on it: every process serves it, whatever its roles, until it ends. */
  isProbe?: boolean
  /** Whose credentials a signed link stands for, on this route alone; undefined where it opens nothing. */
  findLinkOwner?(link: RawLink, useCases: UseCases): Promise<Account | undefined> | undefined
  /** What it brings to be done; refused, before its body is read, when there is too much already. */
  brings?: NewWork
  handle(
    request: RouteRequest<
      z.output<Params>,
      z.output<Query>,
      z.output<Body>,
      Family,
      z.output<Headers>
    >,
    useCases: UseCases,
  ): Promise<z.input<Answered> | RouteResponse> | z.input<Answered> | RouteResponse
}

/** A link as it came, before anything of it was read by a schema. */
interface RawLink {
  params: Record<string, string>
  query: Record<string, unknown>
}

interface RouteRequest<Params, Query, Body, Family extends FamilyName, Headers> {
  /** Who is calling; nobody in particular where a family is open to everyone. */
  account: Family extends 'service' ? undefined : Account
  params: Params
  query: Query
  body: Body
  headers: Headers
  /** The JSON of the body and the headers as they came. */
  raw: { body: unknown; headers: IncomingHttpHeaders }
  /** Aborted when the caller goes away before the answer does. */
  hungUp: AbortSignal
  correlationId: string
}

export type Route = RouteDeclaration

/** What a handler returns when status or headers differ from the declared answer's. */
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
  Answered extends z.ZodType,
  Family extends FamilyName,
  Headers extends z.ZodType,
>(declaration: RouteDeclaration<Params, Query, Body, Answered, Family, Headers>): Route {
  return declaration as unknown as Route
}
