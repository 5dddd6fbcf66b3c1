import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { curlCommand } from '../../src/domain/service/curl-command.ts'
import { findDebianPrograms } from '../support/debian-programs.ts'

interface Captured {
  request: IncomingMessage
  body: string
}

/** A server that keeps the last request, and a shell with curl and a key. */
async function startCapture(t: TestContext) {
  let captured: Captured | undefined
  const server = createServer(async (request, response) => {
    captured = { request, body: await text(request) }
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const curl = await findDebianPrograms({
    name: 'curl',
    packages: ['curl'],
    programs: ['/usr/bin/curl'],
  })
  const environment = {
    PATH: `${curl.pathOf('/usr/bin/curl').replace(/\/curl$/, '')}:/usr/bin:/bin`,
    LD_LIBRARY_PATH: curl.libraryPath,
    TRAWL_API_KEY: 'a key "$(id)"',
  }
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async run(command: string): Promise<Captured> {
      captured = undefined
      const shell = spawn('/bin/sh', [], { env: environment, stdio: ['pipe', 'ignore', 'pipe'] })
      shell.stdin.end(`${command}\n`)
      const [[code], stderr] = await Promise.all([once(shell, 'close'), text(shell.stderr)])
      assert.equal(code, 0, stderr)
      assert.ok(captured)
      return captured
    },
  }
}

test('a printed curl command, run by a shell, sends exactly the call', async (t) => {
  const { origin, run } = await startCapture(t)
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

      const { request, body: sent } = await run(
        curlCommand({ method, url: url.href, headers, body }),
      )

      assert.equal(request.method, method)
      assert.equal(new URL(request.url ?? '', origin).href, url.href)
      assert.equal(request.headers['x-api-key'], 'a key "$(id)"')
      assert.equal(sent, body === undefined ? '' : JSON.stringify(body))
      if (body !== undefined) assert.equal(request.headers['content-type'], 'application/json')
      for (const [name, value] of Object.entries(headers))
        assert.equal(request.headers[name], value)
    }),
    { numRuns: 60 },
  )
})

test('a printed curl command with a body of megabytes sends all of it', async (t) => {
  const { origin, run } = await startCapture(t)
  const body = {
    urls: Array.from({ length: 1000 }, (_, n) => `https://a.test/'${n}/${'x'.repeat(2000)}`),
  }

  const { body: sent } = await run(curlCommand({ method: 'POST', url: `${origin}/v1/batch`, body }))

  assert.equal(sent, JSON.stringify(body))
})
