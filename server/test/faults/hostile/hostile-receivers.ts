/** Hostile receivers of callbacks and the expected outcome of the delivery. */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { answersWith, connectsAnd, isClosed, isFull, type Stage } from './hostile-case.ts'
import {
  ok,
  reset,
  sendEndlessly,
  sendRawText,
  sendSlowly,
  silent,
  type WireAnswer,
} from './raw-responders.ts'
import { startTlsPeer } from './start-peers.ts'

export interface HostileReceiver {
  name: string
  start(stage: Stage): Promise<string>
  /** The outcome of the first attempt. */
  outcome: ReceiverOutcome
  /** About how long the attempt takes. */
  takesMs: number
  /** Sends a callback of about 8 MiB instead of a small one. */
  isLarge?: boolean
  /** The outcome of a second attempt by manual redelivery. */
  again?: ReceiverOutcome
}

export interface ReceiverOutcome {
  status: 'delivered' | 'pending' | 'failed'
  error: string | null
  /** Hours until the next attempt; the schedule has one hour. */
  pauseHours?: number
}

const delivered: ReceiverOutcome = { status: 'delivered', error: null }
const pending = (error: string, pauseHours = 1): ReceiverOutcome => ({
  status: 'pending',
  error,
  pauseHours,
})
const tooLate = 'The host did not answer in time.'
const broken = 'The answer was not valid HTTP, or was cut off.'
const unreachable = 'The host could not be reached.'
const notTrusted = 'No trusted TLS connection to the host could be made.'
const notAllowed =
  'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.'
const answered = (status: number): string => `The receiver answered ${status}.`

const receiver = (
  name: string,
  answer: WireAnswer,
  outcome: ReceiverOutcome,
  takesMs = 0,
): HostileReceiver => ({ name, start: answersWith(answer), outcome, takesMs })

const after =
  (ms: number): WireAnswer =>
  (socket) =>
    void setTimeout(() => socket.writable && socket.end(`${ok}content-length: 0\r\n\r\n`), ms)

const asking = (status: number, retryAfter: string): WireAnswer =>
  sendRawText(`HTTP/1.1 ${status} Wait\r\nretry-after: ${retryAfter}\r\ncontent-length: 0\r\n\r\n`)

const redirecting = (location: string): WireAnswer =>
  sendRawText(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)

/** Text with terminal escapes, control characters and NUL, for every place a receiver can write. */
const evilText = '\u001b[2J\u001b]0;owned\u0007\u0000\u009b31m\u202Eback\r\nnext'

const evilBody: WireAnswer = (socket) => {
  const body = Buffer.from(evilText)
  socket.end(
    Buffer.concat([Buffer.from(`HTTP/1.1 500 No\r\ncontent-length: ${body.length}\r\n\r\n`), body]),
  )
}

const evilStatusLine = sendRawText('HTTP/1.1 500 \x1b[31mred\x07\r\ncontent-length: 0\r\n\r\n')

/** Takes the request a byte in a second. */
const readsSlowly: WireAnswer = (socket: Socket) => {
  const timer = setInterval(() => socket.read(1), 1_000)
  socket.on('close', () => clearInterval(timer))
}

const oneByteThenReset: WireAnswer = (socket) => {
  socket.once('readable', () => {
    socket.read(1)
    socket.write(`${ok}content-length: 0\r\n\r\n`, () => socket.resetAndDestroy())
  })
}

const selfSigned = async (stage: Stage): Promise<string> => {
  const file = new URL('../../outbound/stranger-certificate.pem', import.meta.url)
  const pem = readFileSync(file, 'utf8')
  const port = await startTlsPeer(stage, { key: pem, cert: pem }, after(0))
  return `https://127.0.0.1:${port}/`
}

/** DNS rebinding: resolves to this receiver once, then to a forbidden address. */
const rebinding = async (stage: Stage): Promise<string> => {
  stage.dns.set('moves.example.com', ({ type, before }) => ({
    addresses: type === 'AAAA' ? [] : [before === 0 ? '127.0.0.1' : '169.254.169.254'],
    ttl: 0,
  }))
  const failing = sendRawText('HTTP/1.1 500 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  const url = new URL(await answersWith(failing)(stage))
  return `http://moves.example.com:${url.port}/`
}

export const hostileReceivers: readonly HostileReceiver[] = [
  { ...receiver('never accepts', silent, pending(tooLate), 5_000), start: isFull },
  { ...receiver('is not there', silent, pending(unreachable)), start: isClosed },
  receiver('never answers', silent, pending(tooLate), 15_000),
  // Below the limit of 15 s; a busy machine may itself be a few seconds late.
  receiver('answers after 11 s', after(11_000), delivered, 11_000),
  receiver('answers after 18 s', after(18_000), pending(tooLate), 15_000),
  receiver('says its headers byte by byte', sendSlowly(ok, 'x', 500), pending(tooLate), 15_000),
  receiver(
    'has a body without an end',
    sendEndlessly(`${ok}\r\n`, Buffer.alloc(2 ** 14, 'a')),
    delivered,
  ),
  receiver(
    'has a body that never comes',
    (socket) => socket.write(`${ok}content-length: 9\r\n\r\n`),
    delivered,
    2_000,
  ),
  receiver(
    'breaks off in its body',
    (socket) =>
      socket.write(`${ok}content-length: 100\r\n\r\nthe beg`, () => socket.resetAndDestroy()),
    delivered,
  ),
  receiver('says 100, 102 and 103 first', informing, delivered),
  receiver(
    'says 100 for ever',
    sendEndlessly('', Buffer.from('HTTP/1.1 100 C\r\n\r\n')),
    pending(broken),
  ),
  receiver(
    'says 103 for ever',
    sendEndlessly('', Buffer.from('HTTP/1.1 103 E\r\n\r\n')),
    pending(broken),
  ),
  receiver(
    'redirects to itself',
    redirecting('/'),
    pending(`${answered(302)} Redirects are not followed.`),
  ),
  receiver(
    'redirects to metadata',
    redirecting('http://169.254.169.254/'),
    pending(`${answered(302)} Redirects are not followed.`),
  ),
  receiver('is gone', sendRawText('HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'), {
    status: 'failed',
    error: answered(410),
  }),
  ...(
    [
      [429, '3600', 1],
      [429, '7200', 2],
      [503, '7200', 2],
      [429, '-1', 1],
      [429, '99999999999', 24],
      [503, 'Thu, 01 Jan 1970 00:00:00 GMT', 1],
      [429, 'soon', 1],
    ] as const
  ).map(([status, wait, hours]) =>
    receiver(
      `answers ${status} with Retry-After ${JSON.stringify(wait)}`,
      asking(status, wait),
      pending(answered(status), hours),
    ),
  ),
  {
    ...receiver('answers after one byte, then resets', silent, delivered),
    start: connectsAnd(oneByteThenReset),
  },
  receiver('resets instead of an answer', reset, pending(unreachable)),
  {
    ...receiver('has a certificate nobody vouches for', silent, pending(notTrusted)),
    start: selfSigned,
  },
  {
    ...receiver('reads 8 MiB at 1 B/s', silent, pending(tooLate), 15_000),
    start: connectsAnd(readsSlowly),
    isLarge: true,
  },
  {
    ...receiver('never reads 8 MiB', silent, pending(tooLate), 15_000),
    start: connectsAnd(silent),
    isLarge: true,
  },
  {
    ...receiver('moves to a forbidden address', silent, pending(answered(500))),
    start: rebinding,
    again: { status: 'pending', error: notAllowed },
  },
  receiver(
    'has a header of 1 MB',
    sendRawText(`${ok}x-big: ${'a'.repeat(1e6)}\r\n\r\n`),
    pending(broken),
  ),
  receiver('does not speak HTTP', sendRawText('SSH-2.0-x\r\n\r\n'), pending(broken)),
  receiver('has escapes and NULs in its body', evilBody, pending(answered(500))),
  receiver('has escapes in its status line', evilStatusLine, pending(answered(500))),
  receiver('has escapes in a header', asking(429, 'soon \x1b[31m'), pending(broken)),
]

function informing(socket: Socket): void {
  socket.write('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n')
  socket.end(`${ok}content-length: 0\r\n\r\n`)
}
