import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { findDebianPrograms } from './debian-programs.ts'

export interface CapturedCall {
  request: IncomingMessage
  body: string
}

/** A key that a shell must not read as anything but text. */
export const captureKey = 'a key "$(id)"'

/** A server that keeps the last request, and responds with an empty object. */
export async function startCapture(t: TestContext) {
  let captured: CapturedCall | undefined
  const server = createServer(async (request, response) => {
    captured = { request, body: await text(request) }
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    /** The call that `act` made. */
    async during(act: () => Promise<void>): Promise<CapturedCall> {
      captured = undefined
      await act()
      assert.ok(captured, 'no request arrived')
      return captured
    },
  }
}

/** Runs commands in a shell that has curl and the key. */
export async function findCurlShell(): Promise<(command: string) => Promise<void>> {
  const curl = await findDebianPrograms({
    name: 'curl',
    packages: ['curl'],
    programs: ['/usr/bin/curl'],
  })
  const environment = {
    PATH: `${curl.pathOf('/usr/bin/curl').replace(/\/curl$/, '')}:/usr/bin:/bin`,
    LD_LIBRARY_PATH: curl.libraryPath,
    TRAWL_API_KEY: captureKey,
  }
  return async (command) => {
    const shell = spawn('/bin/sh', [], { env: environment, stdio: ['pipe', 'ignore', 'pipe'] })
    shell.stdin.end(`${command}\n`)
    const [[code], stderr] = await Promise.all([once(shell, 'close'), text(shell.stderr)])
    assert.equal(code, 0, stderr)
  }
}
