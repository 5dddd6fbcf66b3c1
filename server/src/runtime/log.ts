/**
 * This folder has what every layer may use: clock, ids, log, metrics. Nothing here knows about scraping.
 * A log line has named fields that the caller chose, never whole requests or settings: no secret may leak.
 */
import { type LevelWithSilent, type Logger, pino, stdTimeFunctions } from 'pino'
import { PinoPretty } from 'pino-pretty'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'isLevelEnabled'>
export type LogLevel = LevelWithSilent

/** Logs JSON lines to stderr, or coloured lines for a terminal. */
export function createLog(options: { level: LogLevel; isPretty: boolean }): Log {
  const stderr = options.isPretty
    ? PinoPretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true })
  return pino({ level: options.level, base: null, timestamp: stdTimeFunctions.isoTime }, stderr)
}
