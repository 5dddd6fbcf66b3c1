import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** Takes every file descriptor, dials, and gives some back once that has failed for want of one. */
const script = `
  import { closeSync, openSync } from 'node:fs'
  import { createServer, Socket } from 'node:net'
  import { dial } from '${new URL('dial.ts', import.meta.url)}'
  const server = createServer().listen(0, '127.0.0.1', async () => {
    const { port } = server.address()
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null', 'r')) } catch {}
    const { emit } = Socket.prototype
    Socket.prototype.emit = function (name, ...args) {
      if (name === 'error' && args[0].code === 'EMFILE') taken.splice(0, 4).forEach(closeSync)
      return emit.call(this, name, ...args)
    }
    const { signal } = new AbortController()
    const socket = await dial(['127.0.0.1'], port, { signal, deadlineMs: 60_000 })
    process.stdout.write(String(socket.remotePort === port))
    process.exit()
  })`

test('a connection for which no file descriptor is left is opened once there is one', async () => {
  const limited = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"']

  const { stdout } = await promisify(execFile)('sh', [...limited, process.execPath, script])

  assert.equal(stdout, 'true')
})
