import { curlCommand } from '../../../../cli/src/curl/curl-command.ts'
import { printableJson } from '../../../../cli/src/curl/printable-json.ts'
import { type PlaygroundRequest, playgroundOperations } from '../playground-request.ts'
import { travellingBody, urlOfRequest } from './code-literal.ts'
import { pythonSnippet } from './python-snippet.ts'
import { typescriptSnippet } from './typescript-snippet.ts'

type WriteSnippet = (request: PlaygroundRequest, serverUrl: string) => string

/** Code that sends the very same request, by the name of its tab; the key is in `TRAWL_API_KEY`. */
export const codeSnippets: Readonly<Record<SnippetLanguage, WriteSnippet>> = {
  curl: (request, serverUrl) =>
    curlCommand({
      method: 'POST',
      url: urlOfRequest(request, serverUrl),
      body: travellingBody(request),
    }),
  TypeScript: typescriptSnippet,
  Python: pythonSnippet,
  HTTP: httpSnippet,
}

export type SnippetLanguage = 'curl' | 'TypeScript' | 'Python' | 'HTTP'

/** The call as HTTP/1.1 has it; the lines of its head end with a line feed alone here. */
function httpSnippet(request: PlaygroundRequest, serverUrl: string): string {
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
