import { curlCommand } from '../../../../cli/src/curl/curl-command.ts'
import type { PlaygroundRequest } from '../playground-request.ts'
import { httpSnippet } from './http-snippet.ts'
import { pythonSnippet } from './python-snippet.ts'
import { travellingBody, urlOfRequest } from './request-body.ts'
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
