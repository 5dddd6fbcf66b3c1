/** Targets that are slow or send too much. */
import { answersWith, connectsAnd, type HostileOrigin, isFull } from './hostile-case.ts'
import { html, ok, sendEndlessly, sendSlowly, silent } from './raw-responders.ts'

const megabyte = Buffer.alloc(1_000_000, 'a')
const slowness = { group: 'slowness' } as const

/** The verdict arrives at the caller's timeout; the default is one minute. */
const within = (ms: number) => ({
  ask: { timeout_ms: ms },
  verdicts: ['TARGET_TIMEOUT' as const],
  withinMs: ms,
})

export const slowOrigins: HostileOrigin[] = [
  {
    ...slowness,
    name: 'a body without an end, as fast as it is read',
    start: answersWith(sendEndlessly(`${ok}${html}\r\n`, megabyte)),
    verdicts: ['RESPONSE_TOO_LARGE'],
    withinMs: 10_000,
  },
  {
    ...slowness,
    name: 'a body without an end at 1 MB/s',
    start: answersWith(sendSlowly(`${ok}${html}\r\n`, megabyte, 1_000)),
    verdicts: ['RESPONSE_TOO_LARGE'],
    withinMs: 25_000,
    isLong: true,
  },
  {
    ...slowness,
    name: 'a body without an end at 1 MB/s, for a caller in a hurry',
    start: answersWith(sendSlowly(`${ok}${html}\r\n`, megabyte, 1_000)),
    ...within(3_000),
  },
  {
    ...slowness,
    name: 'a body at 1 B/s',
    start: answersWith(sendSlowly(`${ok}content-length: 1000\r\n\r\n`, 'a', 1_000)),
    verdicts: ['TARGET_TIMEOUT'],
    withinMs: 60_000,
    isLong: true,
  },
  {
    ...slowness,
    name: 'a body at 1 B/s, for a caller in a hurry',
    start: answersWith(sendSlowly(`${ok}content-length: 1000\r\n\r\n`, 'a', 1_000)),
    ...within(3_000),
  },
  {
    ...slowness,
    name: 'headers at 1 byte in 10 s',
    start: answersWith(sendSlowly(`${ok}x-slow: `, 'a', 10_000)),
    verdicts: ['TARGET_TIMEOUT'],
    withinMs: 30_000,
    isLong: true,
  },
  {
    ...slowness,
    name: 'headers at 10 bytes in 1 s, for a caller in a hurry',
    start: answersWith(sendSlowly(`${ok}x-slow: `, 'a', 100)),
    ...within(2_000),
  },
  {
    ...slowness,
    name: 'a body that stops',
    start: answersWith((socket) => socket.write(`${ok}content-length: 100\r\n\r\nhello`)),
    verdicts: ['TARGET_TIMEOUT'],
    withinMs: 15_000,
  },
  {
    ...slowness,
    name: 'early hints for ever',
    start: answersWith(sendSlowly('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 500)),
    verdicts: ['BAD_RESPONSE'],
    withinMs: 7_000,
  },
  {
    ...slowness,
    name: 'no answer',
    start: answersWith(silent),
    verdicts: ['TARGET_TIMEOUT'],
    withinMs: 30_000,
    isLong: true,
  },
  {
    ...slowness,
    name: 'no answer, for a caller in a hurry',
    start: answersWith(silent),
    ...within(2_000),
  },
  {
    ...slowness,
    name: 'a connection that is never read',
    start: connectsAnd(silent),
    ...within(2_000),
  },
  {
    ...slowness,
    name: 'a connection that is never accepted',
    start: isFull,
    verdicts: ['TARGET_TIMEOUT'],
    withinMs: 10_000,
  },
]
