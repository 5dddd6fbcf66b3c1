import type { Log } from '../../runtime/log.ts'
import { isStoreUnavailable } from './store-unavailable.ts'

/**
 * A log for those who use the store and retry. `OutageLog` reports an outage; that each of their calls fails in it is
 * logged at the level debug, otherwise one outage would be hundreds of lines.
 */
export function quietInOutages(log: Log): Log {
  const quietly =
    (level: 'warn' | 'error') =>
    (facts: unknown, ...rest: unknown[]): void => {
      const isOutage = isStoreUnavailable((facts as { err?: unknown } | null)?.err)
      const write = log[isOutage ? 'debug' : level] as (...args: unknown[]) => void
      write.call(log, facts, ...rest)
    }
  return {
    debug: log.debug.bind(log),
    info: log.info.bind(log),
    warn: quietly('warn') as Log['warn'],
    error: quietly('error') as Log['error'],
    fatal: log.fatal.bind(log),
    isLevelEnabled: log.isLevelEnabled.bind(log),
  }
}
