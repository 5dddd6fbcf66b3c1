import { printableJson } from '../../../../cli/src/curl/printable-json.ts'
import { type PlaygroundRequest, playgroundOperations } from '../playground-request.ts'
import { travellingBody } from './request-body.ts'

/** The call as HTTP/1.1 has it; the lines of its head end with a line feed alone here. */
export function httpSnippet(request: PlaygroundRequest, serverUrl: string): string {
  const { host, pathname } = new URL(serverUrl)
  const path = pathname.replace(/\/+$/, '') + playgroundOperations[request.operation].path
  const json = printableJson(travellingBody(request), 2)
  return [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'X-Api-Key: $TRAWL_API_KEY',
    'Content-Type: application/json',
    `Content-Length: ${new TextEncoder().encode(json).length}`,
    'Connection: close',
    '',
    json,
  ].join('\n')
}
