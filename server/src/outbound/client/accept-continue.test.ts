import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rewriteContinue } from './accept-continue.ts'

/** The text as a parser would read it when it comes in pieces of this many bytes. */
function rewritten(text: string, pieceBytes: number): string {
  const bytes = Buffer.from(text, 'latin1')
  let state: number | undefined = 0
  for (let at = 0; at < bytes.length && state !== undefined; at += pieceBytes) {
    state = rewriteContinue(bytes.subarray(at, at + pieceBytes), state)
  }
  return bytes.toString('latin1')
}

const final = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\nHTTP/1.1 100'
const cases: [name: string, text: string, expected: string][] = [
  [
    '100 before the response',
    `HTTP/1.1 100 Continue\r\n\r\n${final}`,
    `102 Continue\r\n\r\n${final}`,
  ],
  ['100 with headers', `HTTP/1.1 100\r\na: b\r\n\r\n${final}`, `102\r\na: b\r\n\r\n${final}`],
  ['100 of HTTP/1.0', `HTTP/1.0 100 \r\n\r\n${final}`, `102 \r\n\r\n${final}`],
  [
    '100 after early hints and before them',
    `HTTP/1.1 103 E\r\na: b\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\n\r\n${final}`,
    `103 E\r\na: b\r\n\r\nHTTP/1.1 102 C\r\n\r\nHTTP/1.1 103 E\r\n\r\n${final}`,
  ],
  ['lines that end with a line feed alone', `HTTP/1.1 100 C\n\n${final}`, `102 C\n\n${final}`],
  ['a response without a 100', final, final],
  ['a protocol switch', 'HTTP/1.1 101 Switching\r\n\r\n', '101 Switching\r\n\r\n'],
  [
    'a status that a header mentions',
    `HTTP/1.1 103 E\r\nHTTP/1.1 100: 100\r\n\r\n`,
    '103 E\r\nHTTP/1.1 100: 100\r\n\r\n',
  ],
  ['bytes that are not HTTP', 'SSH-2.0 100\r\n\r\nHTTP/1.1 100', 'SSH-2.0 100\r\n\r\nHTTP/1.1 100'],
]

for (const [name, text, expected] of cases) {
  test(`only the status 100 of informational responses is rewritten: ${name}`, () => {
    for (let pieceBytes = 1; pieceBytes <= text.length; pieceBytes++) {
      const shown = rewritten(text, pieceBytes)

      assert.ok(shown.endsWith(expected), `${pieceBytes}: ${shown}`)
      assert.equal(shown.length, text.length)
    }
  })
}
