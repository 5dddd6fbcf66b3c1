/** Malicious or broken callers. Each returns a short summary of the responses it got. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

export interface CalledService {
  serviceUrl: string
  apiKey: string
  /** An origin that responds at once. */
  originUrl: string
  connections: number
}

export interface HostileCaller {
  does: string
  /** The expected summary; several responses are counted. */
  expected: RegExp
  attack(target: CalledService): Promise<string>
}

const submitPath = '/api/scraper/scrape/callback'
/** A little less than a body may have. */
const valuesCount = 19_900
const depthMax = 990
const deadlineMs = 60_000

export const hostileCallers: Record<string, HostileCaller> = {
  slowBody: {
    does: 'sends a body, a byte a second',
    expected: /^408 REQUEST_TIMEOUT$/,
    attack: (target) => drip(target, head(target, { 'content-length': '500' }), '{"url": "http'),
  },
  slowHeaders: {
    does: 'sends headers, a byte a second',
    expected: /^408 REQUEST_TIMEOUT$/,
    attack: (target) => drip(target, `POST ${submitPath} HTTP/1.1\r\n`, 'x-slow: aaaaaaaaaaaaaaaa'),
  },
  endlessHeaders: {
    does: 'sends headers without an end',
    expected: /^431 HEADERS_TOO_LARGE$/,
    attack: (target) =>
      pour(target, `POST ${submitPath} HTTP/1.1\r\n`, 'x-more: more and more\r\n'),
  },
  silent: {
    does: 'connects and says nothing',
    expected: /^408 REQUEST_TIMEOUT$/,
    attack: (target) => drip(target, '', ''),
  },
  endlessBody: {
    does: 'sends a body without an end',
    expected: /^413 PAYLOAD_TOO_LARGE$/,
    attack: (target) =>
      pour(
        target,
        head(target, { 'transfer-encoding': 'chunked' }),
        `400\r\n${' '.repeat(1024)}\r\n`,
      ),
  },
  announcedHuge: {
    does: 'announces a body of a terabyte',
    expected: /^413 PAYLOAD_TOO_LARGE$/,
    attack: (target) => say(target, head(target, { 'content-length': '1099511627776' })),
  },
  unread: {
    does: 'asks for a large page again and again, and reads nothing',
    expected: /^ended by the service$/,
    attack: askAndReadNothing,
  },
  pipelined: {
    does: 'sends 5 000 requests at once on one connection',
    // The service closes the connection with unread input, so the last responses may be lost.
    expected: /^\d{1,3} × 200(, \d+ × 429)?$/,
    attack: pipeline,
  },
  manyConnections: {
    does: 'opens as many connections as it can and sends half a request on each',
    expected: /^(\d+ × (408 REQUEST_TIMEOUT|503 OVERLOADED|refused)(, )?)+$/,
    attack: openMany,
  },
  manyValues: {
    does: 'sends JSON of 120 000 values',
    expected: /^413 PAYLOAD_TOO_LARGE$/,
    attack: (target) => post(target, `{"metadata":{"a":${nested(120_000)}}}`),
  },
  deepJson: {
    does: 'sends JSON that is nested as deep as its values allow',
    expected: /^422 VALIDATION_ERROR$/,
    attack: (target) => post(target, `{"metadata":{"a":${nested(valuesCount)}}}`),
  },
  deepJsonWithKey: {
    does: 'sends JSON as deep as may be where nobody looks, with an Idempotency-Key',
    expected: /^202$/,
    attack: (target) =>
      post(target, `${goodBody(target).slice(0, -1)},"unknown":${nested(depthMax)}}`, {
        'idempotency-key': `deep-${Date.now()}`,
      }),
  },
  manyFaults: {
    does: 'sends as many options that do not exist as a body may have values',
    expected: /^422 VALIDATION_ERROR$/,
    attack: (target) => {
      const names = Array.from({ length: valuesCount }, (_, index) => `"o${index}":1`)
      return post(target, `{"url":"http://a.test/","configurations":{${names.join(',')}}}`)
    },
  },
  duplicateKeys: {
    does: 'names the callback twice; the last one counts, as everywhere in JSON',
    expected: /^422 URL_NOT_ALLOWED$/,
    attack: (target) =>
      post(target, `${goodBody(target).slice(0, -1)},"callbackUrl":"http://169.254.169.254/"}`),
  },
  prototype: {
    does: 'names fields after what every object has',
    expected: /^422 VALIDATION_ERROR$/,
    attack: (target) =>
      post(target, '{"__proto__":{"url":"http://a.test/"},"constructor":{"prototype":{}}}'),
  },
  gzipped: {
    does: 'compresses its body',
    expected: /^415 UNSUPPORTED_MEDIA_TYPE$/,
    attack: (target) => post(target, gzipSync(goodBody(target)), { 'content-encoding': 'gzip' }),
  },
  otherCharset: {
    does: 'says that its body is UTF-16',
    expected: /^415 UNSUPPORTED_MEDIA_TYPE$/,
    attack: (target) =>
      post(target, Buffer.from(goodBody(target), 'utf16le'), {
        'content-type': 'application/json; charset=utf-16',
      }),
  },
  silentUtf16: {
    does: 'sends UTF-16 without saying so',
    expected: /^422 VALIDATION_ERROR$/,
    attack: (target) => post(target, Buffer.from(goodBody(target), 'utf16le')),
  },
  invalidUtf8: {
    does: 'sends bytes that are no UTF-8',
    expected: /^422 VALIDATION_ERROR$/,
    attack: (target) => post(target, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  },
  byteOrderMark: {
    does: 'begins with a byte order mark, which is harmless',
    expected: /^202$/,
    attack: (target) => post(target, `\ufeff${goodBody(target)}`),
  },
  smuggled: {
    does: 'gives its body two lengths',
    expected: /^400 BAD_REQUEST$/,
    attack: (target) =>
      say(
        target,
        `${head(target, { 'content-length': '5', 'transfer-encoding': 'chunked' })}0\r\n\r\n`,
      ),
  },
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

const goodBody = ({ originUrl }: CalledService): string =>
  JSON.stringify({ url: `${originUrl}/page`, callbackUrl: `${originUrl}/in` })

const head = ({ apiKey }: CalledService, headers: Record<string, string>): string =>
  [
    `POST ${submitPath} HTTP/1.1`,
    'host: trawl.test',
    ...Object.entries({ 'x-api-key': apiKey, 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n')

function post(
  target: CalledService,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<string> {
  const bytes = Buffer.from(body)
  const fields = { 'content-length': String(bytes.length), connection: 'close', ...headers }
  return say(target, Buffer.concat([Buffer.from(head(target, fields)), bytes]))
}

/** Sends it all, then listens until the service hangs up. */
async function say(target: CalledService, bytes: string | Buffer): Promise<string> {
  const socket = await open(target)
  socket.write(bytes)
  return await firstAnswer(socket)
}

/** Sends the rest a byte a second, over and over. */
async function drip(target: CalledService, start: string, rest: string): Promise<string> {
  const socket = await open(target)
  const answered = firstAnswer(socket)
  socket.write(start)
  let sent = 0
  const timer = setInterval(() => socket.write(rest.charAt(sent++ % (rest.length || 1))), 1_000)
  try {
    return await answered
  } finally {
    clearInterval(timer)
  }
}

/** Sends the same again as long as the service takes it. */
async function pour(target: CalledService, start: string, again: string): Promise<string> {
  const socket = await open(target)
  const answered = firstAnswer(socket)
  socket.write(start)
  const block = again.repeat(64)
  while (!socket.destroyed && socket.writable) {
    if (!socket.write(block)) {
      await Promise.race([once(socket, 'drain').catch(() => undefined), answered])
    }
    // An answer that has arrived is read first: a write to a closed connection would lose it.
    await turn()
  }
  return await answered
}

async function askAndReadNothing(target: CalledService): Promise<string> {
  const socket = await open(target)
  socket.pause()
  const closed = closing(socket)
  const request = 'GET /reference HTTP/1.1\r\nhost: trawl.test\r\n\r\n'
  // Fewer than a connection may pipeline, but soon more than the kernel buffers.
  const timer = setInterval(() => socket.write(request.repeat(20)), 200)
  const verdict = closed.then(() => 'ended by the service')
  const seen = await Promise.race([verdict, pause(deadlineMs, 'never ended', { ref: false })])
  clearInterval(timer)
  socket.destroy()
  return seen
}

async function pipeline(target: CalledService): Promise<string> {
  const socket = await open(target)
  const request = (more = '') => `GET /livez HTTP/1.1\r\nhost: trawl.test\r\n${more}\r\n`
  socket.write(request().repeat(4_999) + request('connection: close\r\n'))
  const statuses = (await textOf(socket)).match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []
  return tally(statuses)
}

async function openMany(target: CalledService): Promise<string> {
  const answers = await Promise.all(
    Array.from({ length: target.connections }, async (_, index) => {
      // In waves, because the kernel's accept backlog is short.
      await pause(Math.floor(index / 200) * 20)
      try {
        const socket = await open(target)
        socket.write(head(target, { 'content-length': '500' }))
        return await firstAnswer(socket)
      } catch {
        return 'refused'
      }
    }),
  )
  return tally(answers)
}

function tally(seen: readonly string[]): string {
  const groups = Map.groupBy(seen, (one) => one)
  return [...groups].map(([what, { length }]) => `${length} × ${what}`).join(', ')
}

async function open({ serviceUrl }: CalledService): Promise<Socket> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  return socket
}

/** Status and code of the first response: `408 REQUEST_TIMEOUT`. */
async function firstAnswer(socket: Socket): Promise<string> {
  const text = await textOf(socket)
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(text) ?? []
  const [, code] = /"code":"(\w+)"/.exec(text) ?? []
  return status === undefined ? 'no answer' : [status, code].filter(Boolean).join(' ')
}

/** Resolves on any kind of close. */
const closing = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()))

async function textOf(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  const timer = setTimeout(() => socket.destroy(), deadlineMs)
  await closing(socket)
  clearTimeout(timer)
  return text
}
