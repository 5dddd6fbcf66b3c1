/** Targets whose content is the attack. */
import { gzipSync } from 'node:zlib'
import { bombs, hugeAttribute, manyControlCharacters } from './bombs.ts'
import {
  answersWith,
  answersWithMade,
  type HostileOrigin,
  type ScrapeResult,
  type Verdict,
} from './hostile-case.ts'
import { html, ok, sendResponse } from './raw-responders.ts'

const encoded = (encoding: string): string => `${html}content-encoding: ${encoding}\r\n`
const minified = { configurations: { HTMLMinifier: { useMinifier: true } } }
const content = { group: 'content', verdicts: [200] as Verdict[] } as const

const bomb = (encoding: keyof typeof bombs): HostileOrigin => ({
  name: `a bomb in ${encoding}`,
  group: 'bombs',
  start: answersWithMade(() => sendResponse(bombs[encoding](), encoded(encoding))),
  verdicts: ['RESPONSE_TOO_LARGE'],
  withinMs: 10_000,
})

/** Text in one charset labelled as another; `debug` shows the charset that was used. */
const misnamed = (
  name: string,
  { type, bytes }: { type: string; bytes: Buffer },
  expected: { charset: string; hasReplacements: boolean },
): HostileOrigin => ({
  ...content,
  name,
  start: answersWith(sendResponse(bytes, `content-type: ${type}\r\n`)),
  ask: { configurations: { debug: true } },
  isRight: ({ debug }: ScrapeResult) =>
    debug.charset === expected.charset && debug.hasReplacements === expected.hasReplacements,
  withinMs: 5_000,
})

const utf8Html = 'text/html; charset=utf-8'
const japanese = Buffer.of(0x93, 0xfa, 0x96, 0x7b)
const deepTags = '<div>'.repeat(100_000)
const entityBomb = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">${Array.from(
  { length: 30 },
  (_, index) => `<!ENTITY a${index} "${`&a${index || ''};`.repeat(10)}">`,
).join('')}]><l>&a29;</l>`

export const contentOrigins: HostileOrigin[] = [
  bomb('gzip'),
  bomb('br'),
  bomb('zstd'),
  bomb('deflate'),
  bomb('gzip, gzip'),
  {
    name: 'gzip fifty times',
    group: 'bombs',
    start: answersWithMade(() => {
      let body = gzipSync('<p>deep</p>')
      for (let layer = 1; layer < 50; layer += 1) body = gzipSync(body)
      return sendResponse(body, encoded(Array.from({ length: 50 }, () => 'gzip').join(', ')))
    }),
    verdicts: ['BAD_RESPONSE'],
    withinMs: 5_000,
  },
  {
    name: 'gzip cut off',
    group: 'bombs',
    start: answersWith(
      sendResponse(gzipSync('<p>cut</p>'.repeat(99)).subarray(0, -9), encoded('gzip')),
    ),
    verdicts: ['BAD_RESPONSE'],
    withinMs: 5_000,
  },
  misnamed(
    'Latin-1 under the name of UTF-8',
    { type: utf8Html, bytes: Buffer.from('<p>größer', 'latin1') },
    { charset: 'utf-8', hasReplacements: true },
  ),
  misnamed(
    'Shift JIS under the name of UTF-8',
    { type: utf8Html, bytes: japanese },
    { charset: 'utf-8', hasReplacements: true },
  ),
  misnamed(
    'UTF-16 without a mark under the name of UTF-8',
    { type: utf8Html, bytes: Buffer.from('<p>wide', 'utf16le') },
    { charset: 'utf-8', hasReplacements: false },
  ),
  misnamed(
    'one charset in the header, another in the page',
    {
      type: 'text/html; charset=shift_jis',
      bytes: Buffer.concat([Buffer.from('<meta charset="utf-8">'), japanese]),
    },
    { charset: 'shift_jis', hasReplacements: false },
  ),
  {
    ...content,
    name: '100 000 tags in each other, minified',
    start: answersWith(sendResponse(deepTags)),
    ask: minified,
    isRight: (result) => result.html.length >= 5 && result.html.startsWith('<div>'),
    withinMs: 20_000,
  },
  {
    ...content,
    name: 'one attribute of 49 MiB',
    start: answersWithMade(() => sendResponse(gzipSync(hugeAttribute()), encoded('gzip'))),
    withinMs: 20_000,
  },
  {
    ...content,
    name: '20 MiB of text without an end that is said before',
    start: answersWithMade(() => {
      const head = `${ok}${html}connection: close\r\n\r\n`
      const page = Buffer.concat([Buffer.from(head), Buffer.alloc(20 * 2 ** 20, 'a')])
      return (socket) => socket.end(page)
    }),
    verdicts: Array.from({ length: 3 }, () => 200),
    withinMs: 20_000,
  },
  {
    ...content,
    name: 'control characters that are six times as long in JSON',
    start: answersWithMade(() => sendResponse(gzipSync(manyControlCharacters()), encoded('gzip'))),
    verdicts: ['RESPONSE_TOO_LARGE'],
    withinMs: 20_000,
  },
  {
    ...content,
    name: 'one attribute of 4 MiB, minified',
    start: answersWith(sendResponse(`<p title="${'a'.repeat(4 * 2 ** 20)}">`)),
    ask: minified,
    withinMs: 20_000,
  },
  {
    ...content,
    name: 'a page that the minifier never ends with',
    start: answersWith(sendResponse('<a '.repeat(1_000_000))),
    ask: minified,
    withinMs: 20_000,
  },
  {
    ...content,
    name: 'an entity bomb in XML',
    start: answersWith(sendResponse(entityBomb, 'content-type: application/xml\r\n')),
    isRight: (result) => result.html === entityBomb,
    withinMs: 5_000,
  },
  {
    ...content,
    name: '100 000 lists in each other, asked for as JSON',
    start: answersWith(sendResponse('['.repeat(100_000), 'content-type: application/json\r\n')),
    ask: { configurations: { is_json_response: true } },
    verdicts: ['BAD_RESPONSE'],
    withinMs: 5_000,
  },
  {
    ...content,
    name: 'a page that moves the cursor',
    start: answersWith(sendResponse('\u001b[2J\u0000\u009b31m<p>')),
    isRight: (result) => result.html === '\u001b[2J\u0000\u009b31m<p>',
    withinMs: 5_000,
  },
]
