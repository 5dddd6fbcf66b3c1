import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../runtime/log.ts'
import { quietInOutages } from './quiet-in-outages.ts'
import { storeUnavailable } from './store-unavailable.ts'

test('a warning about a call that failed in an outage is logged at the level debug, others as they are', () => {
  const lines: string[] = []
  const recordAs = (level: string) =>
    ((...words: unknown[]) => void lines.push(`${level}: ${words.at(-1)}`)) as Log['warn']
  const log = quietInOutages({
    isLevelEnabled: () => true,
    debug: recordAs('debug'),
    info: recordAs('info'),
    warn: recordAs('warn'),
    error: recordAs('error'),
    fatal: recordAs('fatal'),
  })

  log.warn({ err: storeUnavailable('It is silent.') }, 'a poll failed')
  log.error({ err: storeUnavailable('It is silent.') }, 'a request failed')
  log.warn({ err: new Error('a defect') }, 'a step failed')
  log.warn('without facts')

  assert.deepEqual(lines, [
    'debug: a poll failed',
    'debug: a request failed',
    'warn: a step failed',
    'warn: without facts',
  ])
})
