import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { printableJson } from '../../../cli/src/curl/printable-json.ts'
import { codeSnippets } from '../../../dashboard/src/playground/code/code-snippets.ts'
import { readCurlCommand } from '../../../dashboard/src/playground/import-curl/read-curl-command.ts'
import { splitShellWords } from '../../../dashboard/src/playground/import-curl/split-shell-words.ts'
import { findCurlShell, startCapture } from '../support/call-capture.ts'
import { anyPlaygroundRequest, validPlaygroundRequests } from '../support/playground-requests.ts'

/** Parsing JSON, V8 13.6 may confuse a key with an earlier one that was written with escapes. */
function hasEscapedKey(value: unknown): boolean {
  let isFound = false
  JSON.stringify(value, (key, one) => {
    isFound ||= printableJson(key) !== `"${key}"`
    return one
  })
  return isFound
}

test('a curl snippet of the playground is imported as the request that it was made of', () => {
  const isSame = fc.property(anyPlaygroundRequest, (request) => {
    fc.pre(!hasEscapedKey(request))
    const command = codeSnippets.curl(request, 'http://127.0.0.1:8080')

    assert.deepEqual(readCurlCommand(command), { request: { ...request }, leftOut: [] })
  })
  fc.assert(isSame, { numRuns: 500, examples: validPlaygroundRequests.map((one) => [one]) })
})

test('a curl snippet that is too long for an argument is imported too', () => {
  const urls = Array.from({ length: 1_000 }, (_, n) => `https://a.test/'${n}/${'x'.repeat(120)}`)
  const request = { operation: 'batch', body: { urls } } as const

  const command = codeSnippets.curl(request, 'http://127.0.0.1:8080')

  assert.match(command, /<<'JSON'/)
  assert.deepEqual(readCurlCommand(command), { request, leftOut: [] })
})

test('words are split as bash splits them', () => {
  // Nothing in here can make bash run, expand or write anything.
  const pieces = ["'", '"', '\\', "$'", '\\\n', ' ', '\t', '#', 'é', 'n', 'x', 'u', 'z', '4', '1']
  // A backslash at the end would continue with the next line.
  const line = fc
    .array(fc.constantFrom(...pieces), { maxLength: 12 })
    .map((one) => `${one.join('')} z`)
  const lines = fc.array(line, { minLength: 50, maxLength: 100 })

  fc.assert(
    fc.property(lines, (tried) => {
      const read = tried.flatMap((text) => readWords(`printf ${text}`))
      const script = read.map(({ text }) => `${text.replace('printf', "printf '%s\\0' -")}\n`)

      const { stdout, stderr } = spawnSync(
        '/bin/bash',
        ['--norc', '-c', script.join("printf '\\n'\n")],
        {
          env: { LC_ALL: 'C.UTF-8', PATH: '/nowhere' },
          encoding: 'utf8',
        },
      )

      assert.equal(stderr, '')
      const wanted = read.map(({ words }) => ['-', ...words].map((word) => `${word}\0`).join(''))
      assert.equal(stdout, wanted.join('\n'))
    }),
    { numRuns: 10 },
  )
})

function readWords(text: string): { text: string; words: string[] }[] {
  try {
    const { words, leftOut } = splitShellWords(text)
    return leftOut.length === 0 ? [{ text, words: words.slice(1) }] : []
  } catch {
    return []
  }
}

test('the scrape sends to its target what curl would send', async (t) => {
  const { origin, during } = await startCapture(t)
  const run = await findCurlShell()
  const options = [
    `-H 'X-A: 1' -A me -e http://b.test/ -r 0-9`,
    `-d a=1 -d 'b= 2'`,
    `-X PUT --data-raw '@a' -H 'Content-Type: text/plain'`,
    `--data-urlencode 'a=ü&b' --data-urlencode 'c'`,
    `-G -d a=1 -d b=2`,
    `--json '{"a":"é"}'`,
    `-u 'me:päss' -X DELETE`,
    `-b 'a=1; b=2' --compressed -sSL`,
    `--data-binary @- <<'END'\na\n b\nEND`,
  ]

  for (const option of options) {
    const command = `curl ${origin}/p?q=1 ${option}`

    const { request, body } = await during(() => run(command))

    const imported = readCurlCommand(command)
    assert.deepEqual(imported.fault ?? imported.leftOut, [], option)
    const wanted = imported.request?.body as {
      url: string
      method?: string
      body?: string
      headers?: Record<string, string>
      configurations?: { cookies: { name: string; value: string }[] }
    }
    assert.equal(request.method, wanted.method ?? 'GET', option)
    assert.equal(origin + request.url, wanted.url, option)
    assert.equal(body, wanted.body ?? '', option)
    const cookies = wanted.configurations?.cookies.map(({ name, value }) => `${name}=${value}`)
    assert.equal(request.headers.cookie, cookies?.join('; '), option)
    for (const [name, value] of Object.entries(wanted.headers ?? {})) {
      assert.equal(request.headers[name], value, option)
    }
  }
})

test('whatever is pasted is imported or refused with a reason, soon', () => {
  const part = fc.constantFrom(
    ...[
      'curl ',
      "'",
      '"',
      '\\',
      '$',
      '$(',
      '`',
      "$'",
      '\n',
      '\r\n',
      '^',
      '^\n',
      ' ',
      '\t',
      '-',
      '--',
    ],
    ...['@', '-H ', '-d ', '-b ', '-u ', '--data ', '--json ', 'a: b', 'a=b', 'http://', 'a.test/'],
    ...['{', '}', '[', ']', '<', '<<', '<<<', '>', '&', '|', ';', '#', '\ud800', 'é', '\\u', '\\x'],
  )
  const text = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(''))

  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (rest) => {
      const { fault, request } = readCurlCommand(`curl ${rest}`)
      assert.ok(fault !== undefined ? fault !== '' : request)
    }),
    { numRuns: 1_000 },
  )
  // A pattern that goes back and forth over such texts would take hours.
  for (const one of [
    '{',
    '[',
    '[a-',
    ' ',
    "\\'",
    "'' ",
    '""',
    '$a',
    '-H a:',
    '\\\n',
    '#',
    '^"',
    '=;',
  ]) {
    const long = one.repeat(260_000 / one.length)
    for (const before of ['', 'a.test/', '-H "a: ', '-b "a=']) {
      readCurlCommand(`curl ${before}${long}x`)
    }
  }
})
