import type { Operations } from './api.ts'
import { pause, startDeadline } from './call-deadline.ts'
import { chooseCredential, describeRefusal } from './choose-credential.ts'
import type { ClientSettings } from './client-options.ts'
import type { ListPage } from './paged-list.ts'
import { readError } from './read-error.ts'
import { chooseRetryPause, type RetryTerms } from './retry-rule.ts'
import { TrawlError } from './trawl-error.ts'

/** What every call takes beside its input. */
export interface CallOptions {
  /** Ends the call, its retries and its waiting; the call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, retries included. */
  timeout?: number | undefined
  maxRetries?: number | undefined
}

/** For calls that start work: the service does it once, however often the request arrives. */
export interface StartOptions extends CallOptions {
  /** Made up if left out, so that retries are safe. */
  idempotencyKey?: string | undefined
}

export type OperationName = keyof Operations
/** Those whose response is a page of a list. */
export type ListName = {
  [Name in OperationName]: Answer<Name> extends ListPage ? Name : never
}[OperationName]
export type Query<Name extends OperationName> = Operations[Name]['query']
export type Answer<Name extends OperationName> = Operations[Name]['response']

type Given<Key extends string, Value> = [Value] extends [undefined]
  ? { [K in Key]?: undefined }
  : { [K in Key]: Value }

export type CallInput<Name extends OperationName> = Given<'path', Operations[Name]['path']> &
  Given<'body', Operations[Name]['body']> & {
    query?: Query<Name> | undefined
    options?: StartOptions | undefined
    /** The route honours an idempotency key. */
    isKeyed?: boolean
    headers?: Record<string, string>
    /** The time that the call needs, where neither the caller nor the client says. */
    timeoutByDefault?: number
    /** A status that is no failure here. */
    alsoOk?: number
  }

/** A call by its method and path, such as `/v1/tasks`, rather than by its name. */
export interface PlainCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Values that are not defined are left out. */
  query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  headers?: Record<string, string> | undefined
  /** Sent as JSON. */
  body?: unknown
  /** The body of the response is left to be read as it arrives; `timeout` ends with its headers. */
  isStream?: boolean | undefined
}

const timeoutByDefault = 60_000

/** Sends requests: credentials, deadline, retries, errors. */
export class Transport {
  readonly #settings: ClientSettings

  constructor(settings: ClientSettings) {
    this.#settings = settings
  }

  /** Calls an operation and returns its JSON. */
  call<Name extends OperationName>(name: Name, input: CallInput<Name>): Promise<Answer<Name>> {
    return this.send(name, input, readJson) as Promise<Answer<Name>>
  }

  /** The same; `read` makes the result from the response. */
  async send<Name extends OperationName, Result>(
    name: Name,
    input: CallInput<Name>,
    read: (response: Response, stopTimer: () => void) => Promise<Result> | Result,
  ): Promise<Result> {
    const { url, init, terms, refusal } = this.#request(name, input)
    const { signal, timeout } = input.options ?? {}
    const timeoutMs =
      timeout ?? this.#settings.timeout ?? input.timeoutByDefault ?? timeoutByDefault
    const deadline = startDeadline(timeoutMs, signal)
    try {
      for (let retryCount = 0; ; retryCount++) {
        try {
          const response = await this.#settings.fetch(url, { ...init, signal: deadline.signal })
          if (response.ok || response.status === input.alsoOk) {
            return await read(response, deadline.clear)
          }
          throw await readError(response, { baseUrl: this.#settings.baseUrl, refusal })
        } catch (caught) {
          const error = deadline.explain(caught)
          if (!(error instanceof TrawlError) || deadline.signal.aborted) throw error
          const pauseMs = chooseRetryPause(error, terms, { retryCount, random: Math.random() })
          if (pauseMs === undefined || pauseMs > deadline.leftMs()) throw error
          await pause(pauseMs, deadline.signal).catch((reason) => {
            throw deadline.explain(reason)
          })
        }
      }
    } finally {
      deadline.clear()
    }
  }

  sendPlain(
    { method, path, isStream, ...input }: PlainCall,
    options: CallOptions | undefined,
  ): Promise<Response> {
    // The types are for names of operations; any other is sent as well.
    const name = `${method} ${path}` as OperationName
    return this.send(name, { ...input, options } as never, isStream ? readLater : readWhole)
  }

  #request<Name extends OperationName>(name: Name, input: CallInput<Name>) {
    const { path: parts, query, body, options, isKeyed = false } = input
    const [method = '', template = ''] = name.split(' ')
    const headers = new Headers(chooseCredential(template, this.#settings)?.header)
    for (const [key, value] of Object.entries(input.headers ?? {})) headers.set(key, value)
    if (body !== undefined) headers.set('content-type', 'application/json')
    if (isKeyed) headers.set('idempotency-key', options?.idempotencyKey ?? randomKey())
    const terms: RetryTerms = {
      maxRetries: options?.maxRetries ?? this.#settings.maxRetries,
      isRepeatable: isKeyed || !['POST', 'PATCH'].includes(method),
      hasKey: isKeyed,
    }
    const init: RequestInit = {
      method,
      headers,
      // A redirect to another host would be given the API key.
      redirect: 'error',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const url = this.#settings.baseUrl + fillPath(template, parts ?? {}) + textOf(query ?? {})
    return { url, init, terms, refusal: describeRefusal(template, this.#settings) }
  }
}

/** The response with its body to be read; how long that takes is up to the reader. */
export function readLater(response: Response, stopTimer: () => void): Response {
  stopTimer()
  return response
}

/** The response with its body read, so that the deadline and the retries of the call cover it. */
export async function readWhole(response: Response): Promise<Response> {
  const { status, headers } = response
  // A response without content may have no body, not even an empty one.
  const body = status === 204 ? null : await response.arrayBuffer()
  return new Response(body, { status, headers })
}

export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    const { status } = response
    throw new TrawlError('The response is not JSON; is this the URL of the service?', {
      code: 'UNEXPECTED_RESPONSE',
      status,
      cause,
    })
  }
}

const fillPath = (template: string, parts: object): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((parts as Record<string, unknown>)[name] ?? '')
    // `..` would make it another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not an id: "${value}"`)
    return encodeURIComponent(value)
  })

function textOf(query: object): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value))
  }
  return search.size > 0 ? `?${search}` : ''
}

/** `crypto.randomUUID` is missing in pages over plain HTTP. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
