import fc from 'fast-check'
import {
  type PlaygroundOperation,
  type PlaygroundRequest,
  playgroundOperations,
} from '../../../dashboard/src/playground/playground-request.ts'

/** Texts that would end a literal, a word or a document, or mean something else in some language. */
const hostileTexts = [
  `'; id #`,
  '"; import os #',
  `'''`,
  '"""',
  '\\',
  "\\'",
  '\\"',
  '`id`',
  '$(id)',
  `\${process.exit(1)}`,
  '$TRAWL_API_KEY',
  "$'\\x41'",
  '%PATH%',
  '!!',
  '\n',
  '\r\n',
  '\nJSON\n',
  'a\n\nPOST / HTTP/1.1',
  '\t',
  '\0',
  '\x1b[2J',
  '\x7f\x7f',
  '\u0085',
  '\u00ad',
  '\u2028',
  '\u2029',
  '\u202e',
  '\ufeff',
  '\ud800',
  '\udfff',
  '\\ud83d\\udc1f',
  '\\N{FISH}',
  '\\x41\\101',
  '🐟',
  '\u{e0041}',
  '{a,b}[1-3]',
  '@file',
  '<(id)',
  '# no comment',
  '// no comment',
  '</script>',
  '&&',
  '|| id',
  '*',
  '~',
]

/** All hostile texts at once, as values and as names. */
export const hostileRequest: PlaygroundRequest = {
  operation: 'extract',
  body: {
    url: 'https://example.com/',
    texts: hostileTexts,
    byName: JSON.parse(JSON.stringify(Object.fromEntries(hostileTexts.map((one) => [one, one])))),
    prototype: JSON.parse('{"__proto__": {"is": "data"}}'),
  },
}

const hostileText = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.array(fc.constantFrom(...hostileTexts), { maxLength: 4 }).map((texts) => texts.join('')),
)

/** Names that are special in some language are names here. */
const key = fc.oneof(
  fc.stringMatching(/^[a-z_]{1,8}$/),
  fc.constantFrom('__proto__', 'constructor', 'class', 'None', '1', '01', '-1', ''),
  hostileText,
)

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    hostileText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom(true, false, null, 1e21, 5e-324, -1e-7),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(key, tie('any'), { maxKeys: 4 }),
  ),
})).any

/** Requests of the playground with any bodies, as JSON has them. */
export const anyPlaygroundRequest: fc.Arbitrary<PlaygroundRequest> = fc.record({
  operation: fc.constantFrom(...(Object.keys(playgroundOperations) as PlaygroundOperation[])),
  body: fc
    .record({
      url: hostileText,
      rest: fc.dictionary(key, value, { maxKeys: 4 }),
      mode: fc.constantFrom(undefined, 'sync', 'async'),
    })
    .map(({ url, rest, mode }) =>
      // Through JSON: -0 and prototypes do not travel.
      JSON.parse(JSON.stringify({ url, ...rest, ...(mode && { processing_mode: mode }) })),
    ),
})

export const samplePlaygroundRequests = (count: number): PlaygroundRequest[] =>
  fc.sample(anyPlaygroundRequest, count)

/** One valid request of each operation, and of each way to call it. */
export const validPlaygroundRequests: PlaygroundRequest[] = [
  {
    operation: 'extract',
    body: {
      url: 'https://example.com/',
      formats: ['html', 'markdown', 'text', 'links', 'metadata', 'screenshot'],
      render_js: 'auto',
      headers: { accept: 'text/html', 'x-quote': `'"\\\${}\`` },
      proxy: { country: 'DE', type: 'datacenter' },
      wait_config: { wait_until: 'networkidle', wait_for: 'h1', wait_timeout: 500 },
      extract_rules: { title: 'h1', link: { selector: 'a', output: '@href' } },
      configurations: {
        cookies: [{ name: 'a', value: 'b' }],
        localStorage: { fish: 'cod' },
        js_scenario: { actions: [{ action: 'wait', value: 100 }] },
      },
      processing_mode: 'sync',
    },
  },
  {
    operation: 'extract',
    body: {
      url: 'https://example.com/',
      method: 'POST',
      body: { fish: ['cod', null, true] },
      processing_mode: 'async',
    },
  },
  {
    operation: 'callback',
    body: {
      url: 'https://example.com/',
      callbackUrl: 'https://receiver.example/',
      configurations: { screenshot: { use: true, options: { type: 'png' } } },
      metadata: { order: { id: 7 } },
    },
  },
  {
    operation: 'realtime',
    body: { url: 'https://example.com/', configurations: { js_render: true, mode: 'SPA' } },
  },
  {
    operation: 'batch',
    body: { urls: ['https://example.com/a', 'https://example.com/b'], formats: ['markdown'] },
  },
  {
    operation: 'crawl',
    body: { url: 'https://example.com/', depth: 2, limit: 10, include_paths: ['/docs/*'] },
  },
  { operation: 'map', body: { url: 'https://example.com/', search: 'cod' } },
]
