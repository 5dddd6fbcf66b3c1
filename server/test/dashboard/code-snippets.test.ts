import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { codeSnippets } from '../../../dashboard/src/playground/code/code-snippets.ts'
import {
  type PlaygroundRequest,
  playgroundOperations,
} from '../../../dashboard/src/playground/playground-request.ts'
import {
  type CapturedCall,
  captureKey,
  findCurlShell,
  startCapture,
} from '../support/call-capture.ts'
import {
  anyPlaygroundRequest,
  hostileRequest,
  validPlaygroundRequests,
} from '../support/playground-requests.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const examples = [...validPlaygroundRequests, hostileRequest]

test('the curl snippet, run by a shell, sends the very same request', async (t) => {
  const { origin, during } = await startCapture(t)
  const run = await findCurlShell()

  await forManyRequests(25, async (request) => {
    const call = await during(() => run(codeSnippets.curl(request, origin)))

    assertSame(call, request, request.body)
  })
})

test('the TypeScript snippet, run by Node, sends the very same request', async (t) => {
  const { origin, during } = await startCapture(t)
  const folder = await scratchFolder(t)
  const sdk = new URL('../../../sdk/src/index.ts', import.meta.url).href
  process.env['TRAWL_API_KEY'] = captureKey
  t.mock.method(console, 'log', () => undefined)
  let count = 0

  await forManyRequests(60, async (request) => {
    const path = join(folder, `snippet-${count++}.mts`)
    const code = codeSnippets.TypeScript(request, origin)
    await writeFile(path, code.replace("'@trawl/sdk'", `'${sdk}'`))

    const call = await during(() => import(pathToFileURL(path).href))

    // The SDK names the mode of an extraction, which is `sync` if it is left out.
    const mode = { processing_mode: request.body['processing_mode'] ?? 'sync' }
    assertSame(call, request, { ...request.body, ...(request.operation === 'extract' && mode) })
  })
})

test('the HTTP snippet, sent as it stands, is the very same request', async (t) => {
  const { origin, port, during } = await startCapture(t)

  await forManyRequests(60, async (request) => {
    const [head = '', ...rest] = codeSnippets.HTTP(request, origin).split('\n\n')
    const lines = head.replace('$TRAWL_API_KEY', captureKey).replaceAll('\n', '\r\n')

    const call = await during(async () => {
      const socket = connect(port, '127.0.0.1')
      socket.end(`${lines}\r\n\r\n${rest.join('\n\n')}`)
      assert.match(await text(socket), /^HTTP\/1\.1 200 /)
    })

    assertSame(call, request, request.body)
  })
})

test('no snippet shows characters that cannot be seen, or has the key in it', () => {
  for (const write of Object.values(codeSnippets)) {
    const code = write(hostileRequest, 'http://127.0.0.1:8080')
    assert.doesNotMatch(code, /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u)
    assert.match(code, /TRAWL_API_KEY/)
  }
})

/** With the examples, and with requests that are made up. */
async function forManyRequests(
  numRuns: number,
  check: (request: PlaygroundRequest) => Promise<void>,
): Promise<void> {
  const seed: [PlaygroundRequest][] = examples.map((one) => [one])
  await fc.assert(fc.asyncProperty(anyPlaygroundRequest, check), { numRuns, examples: seed })
}

function assertSame({ request, body }: CapturedCall, asked: PlaygroundRequest, wanted: object) {
  assert.equal(request.method, 'POST')
  assert.equal(request.url, playgroundOperations[asked.operation].path)
  assert.equal(request.headers['x-api-key'], captureKey)
  assert.equal(request.headers['content-type'], 'application/json')
  assert.deepEqual(JSON.parse(body), wanted)
}
