import { unprintable } from '../../../../cli/src/curl/printable-json.ts'
import type { PlaygroundRequest } from '../playground-request.ts'
import { codeLiteral, type LiteralSyntax, travellingBody, urlOfRequest } from './code-literal.ts'

/** A program that makes the call by `requests`. */
export function pythonSnippet(request: PlaygroundRequest, serverUrl: string): string {
  return [
    'import os',
    '',
    'import requests',
    '',
    'response = requests.post(',
    `    ${text(urlOfRequest(request, serverUrl))},`,
    '    headers={"X-Api-Key": os.environ["TRAWL_API_KEY"]},',
    `    json=${codeLiteral(travellingBody(request), syntax, syntax.indent)},`,
    `    timeout=${timeoutSeconds(request)},`,
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

/** `requests` would wait for ever; these are the times that the service may take, and a little more. */
function timeoutSeconds({ operation, body }: PlaygroundRequest): number {
  if (operation === 'realtime') return 920
  if (operation !== 'extract') return 75
  const { timeout } = body
  return Math.ceil((typeof timeout === 'number' ? timeout : 60_000) / 1_000) + 15
}

/** The escapes of JSON are those of Python too, but for characters beyond four digits. */
const text = (value: string): string =>
  JSON.stringify(value).replace(
    unprintable,
    (character) => `\\U${character.codePointAt(0)?.toString(16).padStart(8, '0')}`,
  )

const syntax: LiteralSyntax = {
  text,
  key: text,
  words: { true: 'True', false: 'False', null: 'None' },
  brace: '',
  indent: '    ',
}
