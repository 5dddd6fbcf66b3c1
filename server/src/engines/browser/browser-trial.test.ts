import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../runtime/log.ts'
import { createBrowserTrial } from './browser-trial.ts'

const log = createLog({ level: 'silent', isPretty: false })
// The waits keep no process alive; in a service something else always does.
const alive = setInterval(() => undefined, 1_000)
after(() => clearInterval(alive))

test('nothing is tried before somebody asks, and then once for all who ask', async () => {
  let trials = 0
  const trial = createBrowserTrial({ log, open: async () => void trials++ })
  assert.equal(trial.isPassed, null)

  await Promise.all([trial.ask(), trial.ask()])
  await trial.ask()

  assert.equal(trials, 1)
  assert.equal(trial.isPassed, true)
})

test('what is no longer fresh is tried again', async () => {
  let isBroken = false
  const open = async () => {
    if (isBroken) throw new Error('no page')
  }
  const trial = createBrowserTrial({ log, open, freshMs: 0 })
  await trial.ask()
  isBroken = true

  await trial.ask()

  assert.equal(trial.isPassed, false)
})

test('an asker waits only so long, and the trial goes on without it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const trial = createBrowserTrial({ log, open: () => promise, waitMs: 10 })

  await trial.ask()
  const meanwhile = trial.isPassed
  resolve()
  await trial.ask()

  assert.equal(meanwhile, null)
  assert.equal(trial.isPassed, true)
})

test('a browser that never answers has failed when its time is over', async () => {
  const open = () => new Promise<void>(() => undefined)
  const trial = createBrowserTrial({ log, open, takesMsMax: 10 })

  await trial.ask()

  assert.equal(trial.isPassed, false)
})
