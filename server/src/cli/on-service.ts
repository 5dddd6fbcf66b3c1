import type { Command } from 'commander'
import { curlCommand } from '../domain/service/curl-command.ts'
import { callService } from './call-service.ts'
import type { Printable } from './columns.ts'
import { findService } from './find-service.ts'
import { indentJson } from './indent-json.ts'
import { withOutputOptions } from './output-options.ts'
import { type PrintFlags, printJson, printResult, printText } from './print-result.ts'
import { type ServiceFlags, withServiceOptions } from './service-options.ts'

/** One call of the service. */
export interface ServiceRequest {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** Values that are not defined are left out. */
  query?: Record<string, string | number | undefined>
  headers?: Record<string, string>
  body?: unknown
  /** The response goes on until one of the two ends it. */
  isStream?: true
}

export interface CallFlags extends ServiceFlags, PrintFlags {
  printCurl?: true
}

/** The options of a command that makes one call and prints the response. */
export const withCallOptions = (command: Command): Command =>
  withPrintCurlOption(withOutputOptions(withServiceOptions(command)))

export const withPrintCurlOption = (command: Command): Command =>
  command.option('--print-curl', 'print the call as a curl command instead of making it')

const responseMsMax = 60_000

/** Adds a command that makes one call and prints what is to be shown of the response. */
export function onService<Args extends unknown[], Options, Body>(
  command: Command,
  call: {
    request(args: Args, options: Options): ServiceRequest
    show(body: Body, options: Options): Printable
    /** Says more about the response, on stderr. */
    after?(body: Body, options: Options): void
  },
): Command {
  return withCallOptions(command).action(async () => {
    const options = command.opts<Options & CallFlags>()
    const request = call.request(command.processedArgs as Args, options)
    if (options.printCurl) return await printCurl(request, options)
    const json = await (await requestService(request, options)).text()
    const body = (json === '' ? {} : JSON.parse(json)) as Body
    if (options.json) await printJson(json === '' ? '{}' : indentJson(json), options)
    else await printResult(call.show(body, options), options)
    call.after?.(body, options)
  })
}

/** Makes a call as the flags say where and as whom. */
export function requestService(
  request: ServiceRequest,
  flags: ServiceFlags,
  { timeoutMs = responseMsMax, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Response> {
  const { server, apiKey, keyOrigin } = findService(flags)
  const { method, headers, body, isStream } = request
  return callService({
    method,
    url: urlOf(request, server),
    apiKey,
    keyOrigin,
    ...(!isStream && { timeoutMs }),
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  })
}

/** Prints a call; the key is left to the variable of the shell. */
export async function printCurl(
  request: ServiceRequest,
  flags: ServiceFlags & PrintFlags,
): Promise<void> {
  const { method, headers = {}, body, isStream = false } = request
  const url = urlOf(request, findService(flags).server).href
  await printText(curlCommand({ method, url, headers, body, isStream }), { output: flags.output })
}

function urlOf({ path, query = {} }: ServiceRequest, server: string): URL {
  const url = new URL(path, server)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}
