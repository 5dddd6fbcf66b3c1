import type { PlainCall } from '@trawl/sdk'
import type { Command } from 'commander'
import { curlCommand } from '../curl/curl-command.ts'
import {
  indentJson,
  type PrintFlags,
  printJson,
  printResult,
  printText,
  withOutputOptions,
} from '../output/print.ts'
import type { Printable } from '../output/table.ts'
import { findService } from './find-service.ts'
import { openService } from './service-client.ts'
import { type ServiceFlags, withServiceOptions } from './service-options.ts'

export interface CallFlags extends ServiceFlags, PrintFlags {
  printCurl?: true
}

/** The options of a command that makes one call and prints the response. */
export const withCallOptions = (command: Command): Command =>
  withPrintCurlOption(withOutputOptions(withServiceOptions(command)))

export const withPrintCurlOption = (command: Command): Command =>
  command.option('--print-curl', 'print the call as a curl command instead of making it')

const responseMsMax = 60_000

/** Makes a command of one call, which prints what is to be shown of the response; by default all of it. */
export function onService<
  Args extends string[] = [id: string],
  Options = object,
  Body = Record<string, unknown>,
>(
  command: Command,
  requestOf: (args: Args, options: Options) => PlainCall,
  { show, after }: { show?: (body: Body) => Printable; after?: (body: Body) => void } = {},
): void {
  withCallOptions(command).action(async () => {
    const options = command.opts<Options & CallFlags>()
    const request = requestOf(command.processedArgs as Args, options)
    if (options.printCurl) return await printCurl(request, options)
    const json = await (await requestService(request, options)).text()
    const body = (json === '' ? {} : JSON.parse(json)) as Body & Printable
    if (options.json) await printJson(json === '' ? '{}' : indentJson(json), options)
    else await printResult(show?.(body) ?? body, options)
    after?.(body)
  })
}

/** Makes a call as the flags say where and as whom, once: its user sees the error and decides. */
export const requestService = (
  call: PlainCall,
  flags: ServiceFlags,
  { timeoutMs = responseMsMax, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<Response> =>
  openService(flags).request(call, { timeout: timeoutMs, maxRetries: 0, signal })

/** Prints a call; the key is left to the variable of the shell. */
export async function printCurl(
  request: PlainCall,
  flags: ServiceFlags & PrintFlags,
): Promise<void> {
  const { method, headers = {}, body, isStream = false } = request
  const url = urlOf(request, findService(flags).server).href
  await printText(curlCommand({ method, url, headers, body, isStream }), { output: flags.output })
}

function urlOf({ path, query = {} }: PlainCall, server: string): URL {
  const url = new URL(path, server)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}
