import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { OutboundProblem } from '../../src/outbound/outbound-error.ts'
import { connectTo, openTestExit, say } from './open-exit.ts'
import { startRawOrigin } from './raw-origin.ts'

interface BadAnswer {
  name: string
  answer: (socket: Socket) => void
  problem?: OutboundProblem
  /** Something of it was good and may have been passed on. */
  isBegun?: boolean
}

const saying = (text: string) => (socket: Socket) => void socket.end(text, 'latin1')
const head = 'HTTP/1.1 200 OK\r\n'

const badAnswers: BadAnswer[] = [
  { name: 'garbage', answer: saying('\x16\x03\x01 what is this\r\n\r\n') },
  { name: 'another protocol', answer: saying('SSH-2.0-OpenSSH_9\r\n') },
  { name: 'HTTP/0.9', answer: saying('<html>hello</html>') },
  { name: 'no status', answer: saying('HTTP/1.1\r\n\r\n') },
  { name: 'a status that is too small', answer: saying('HTTP/1.1 099 No\r\n\r\n') },
  { name: 'half a status line', answer: saying('HTTP/1.') },
  { name: 'a control character in the status line', answer: saying('HTTP/1.1 200 O\x01K\r\n\r\n') },
  { name: 'headers without an end', answer: saying(`${head}content-type: text/html\r\n`) },
  { name: 'a header without a name', answer: saying(`${head}: x\r\n\r\n`) },
  {
    name: 'two lengths',
    answer: saying(`${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`),
  },
  { name: 'a negative length', answer: saying(`${head}content-length: -5\r\n\r\nhello`) },
  {
    name: 'a length and chunks',
    answer: saying(`${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
  },
  { name: 'one header of 33 KiB', answer: saying(`${head}x: ${'x'.repeat(33 * 1024)}\r\n\r\n`) },
  { name: 'ten thousand headers', answer: saying(`${head}${'a: b\r\n'.repeat(10_000)}\r\n`) },
  { name: 'a storm of early hints', answer: saying('HTTP/1.1 103 Early\r\n\r\n'.repeat(5000)) },
  {
    name: 'a storm of 100 Continue',
    answer: saying('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)),
  },
  { name: 'early hints and no answer', answer: saying('HTTP/1.1 103 Early\r\n\r\n') },
  {
    name: 'another protocol that nobody asked for',
    answer: (socket) =>
      socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  },
  { name: 'nothing, then the end', answer: (socket) => socket.end(), problem: 'unreachable' },
  { name: 'a reset', answer: (socket) => socket.resetAndDestroy(), problem: 'unreachable' },
  {
    name: 'a body cut short',
    answer: saying(`${head}content-length: 100\r\n\r\nshort`),
    isBegun: true,
  },
  {
    name: 'a body reset in the middle',
    answer: (socket) =>
      socket.write(`${head}content-length: 100\r\n\r\nshort`, () => socket.resetAndDestroy()),
    isBegun: true,
  },
  {
    name: 'a chunk with a bad size',
    answer: saying(`${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n`),
    isBegun: true,
  },
  {
    name: 'chunks without an end',
    answer: saying(`${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`),
    isBegun: true,
  },
]

for (const { name, answer, problem = 'bad_response', isBegun } of badAnswers) {
  test(`a response with ${name} is ${problem}, and the browser's connection is closed`, async (t) => {
    const origin = await startRawOrigin(t, answer)
    const exit = await openTestExit(t)

    const text = await say(
      t,
      exit,
      `GET ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`,
    )

    assert.equal(exit.problemOf('127.0.0.1', origin.port), problem)
    // A head that has been passed on may be lost with the connection, but never looks complete.
    if (isBegun) assert.match(text, /^(HTTP.1.1 200 OK(?!.*0\r\n\r\n$).*)?$/s)
    else assert.equal(text, '')
    assert.equal(origin.connections, 1)
  })
}

test('bytes that a target sends after its response are never read as the next response', async (t) => {
  const whole = `${head}Content-Length: 2\r\n\r\n`
  const origin = await startRawOrigin(t, (socket, nth) => {
    socket.write(nth === 1 && origin.connections === 1 ? `${whole}ok${whole}no` : `${whole}ok`)
  })
  const exit = await openTestExit(t)
  const request = `GET ${origin.url} HTTP/1.1\r\nHost: 127.0.0.1:${origin.port}\r\n\r\n`

  for (let count = 0; count < 3; count += 1) {
    const client = await connectTo(t, exit)
    client.socket.write(request)
    await client.untilRead('\r\n\r\nok')
    assert.doesNotMatch(client.text, /no$/)
  }
})

test('an egress proxy survives any malformed input from the browser', async (t) => {
  const origin = await startRawOrigin(t, (socket) =>
    socket.write(`${head}content-length: 0\r\n\r\n`),
  )
  const exit = await openTestExit(t)
  const host = `127.0.0.1:${origin.port}`
  const whole = [
    `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 40\r\n\r\n${'x'.repeat(40)}`,
    `POST http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ]

  // Every beginning of each, followed by the end or a reset, and with one byte changed.
  for (const text of whole) {
    for (let length = 1; length < text.length; length += 7) {
      const ending = await connectTo(t, exit)
      ending.socket.end(text.slice(0, length))
      const resetting = await connectTo(t, exit)
      resetting.socket.write(text.slice(0, length), () => resetting.socket.resetAndDestroy())
      const changed = await connectTo(t, exit)
      changed.socket.end(`${text.slice(0, length)}\0${text.slice(length + 1)}`)
      await Promise.all([ending.closed, resetting.closed, changed.closed])
    }
  }

  const client = await connectTo(t, exit)
  client.socket.write(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await client.untilRead('200 OK')
})
