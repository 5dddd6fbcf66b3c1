import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { curlCommand } from '../../../cli/src/curl/curl-command.ts'
import { printableJson } from '../../../cli/src/curl/printable-json.ts'
import { captureKey, findCurlShell, startCapture } from '../support/call-capture.ts'

test('a printed curl command, run by a shell, sends exactly the call', async (t) => {
  const { origin, during } = await startCapture(t)
  const run = await findCurlShell()
  const words = fc.string({ unit: 'grapheme', maxLength: 40 })
  const nasty = fc.constantFrom("'", '"', '$(id)', '`id`', '\\', '\n', '@file', '{a,b}[1-3]', '%00')
  const anyText = fc.oneof(
    words,
    nasty,
    fc.tuple(words, nasty, words).map((parts) => parts.join('')),
  )
  const header = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
  const calls = fc.record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'PATCH'),
    path: anyText,
    query: fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), anyText, { maxKeys: 3 }),
    headers: fc.dictionary(fc.stringMatching(/^x-[a-z]{1,8}$/), fc.oneof(header, fc.constant('')), {
      maxKeys: 3,
    }),
    body: fc.option(
      fc.dictionary(
        anyText,
        fc.oneof(
          anyText,
          fc.json().map((json) => JSON.parse(json)),
        ),
      ),
      {
        nil: undefined,
      },
    ),
  })

  await fc.assert(
    fc.asyncProperty(calls, async ({ method, path, query, headers, body }) => {
      const url = new URL(`/v1/${encodeURIComponent(path)}?${new URLSearchParams(query)}`, origin)

      const { request, body: sent } = await during(() =>
        run(curlCommand({ method, url: url.href, headers, body })),
      )

      assert.equal(request.method, method)
      assert.equal(new URL(request.url ?? '', origin).href, url.href)
      assert.equal(request.headers['x-api-key'], captureKey)
      if (body === undefined) assert.equal(sent, '')
      // As text: V8 reads `{"\n":1}` as `{"\\":1}` once it has parsed the latter.
      else assert.equal(sent, printableJson(body))
      if (body !== undefined) assert.equal(request.headers['content-type'], 'application/json')
      for (const [name, value] of Object.entries(headers))
        assert.equal(request.headers[name], value)
    }),
    { numRuns: 60 },
  )
})

test('a printed curl command with a body of megabytes sends all of it', async (t) => {
  const { origin, during } = await startCapture(t)
  const run = await findCurlShell()
  const body = {
    urls: Array.from({ length: 1000 }, (_, n) => `https://a.test/'${n}/${'x'.repeat(2000)}`),
  }

  const { body: sent } = await during(() =>
    run(curlCommand({ method: 'POST', url: `${origin}/v1/batch`, body })),
  )

  assert.equal(sent, JSON.stringify(body))
})
