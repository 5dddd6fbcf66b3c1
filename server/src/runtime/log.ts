/**
 * What every floor may use: clock, ids, log, metrics. Nothing here knows what the service is for.
 * A log line is built from named fields chosen by the caller, never from whole requests or settings,
 * so that no secret can ride along.
 */
import { type LevelWithSilent, type Logger, pino, stdTimeFunctions } from 'pino'
import { PinoPretty } from 'pino-pretty'

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'isLevelEnabled'>
export type LogLevel = LevelWithSilent

/** JSON lines on stderr for machines; coloured lines when a person is looking. */
export function createLog(options: { level: LogLevel; isPretty: boolean }): Log {
  const stderr = options.isPretty
    ? PinoPretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true })
  return pino({ level: options.level, base: null, timestamp: stdTimeFunctions.isoTime }, stderr)
}
