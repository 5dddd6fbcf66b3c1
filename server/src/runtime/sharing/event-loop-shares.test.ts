import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { EventLoopShares } from './event-loop-shares.ts'
import { ServedAccounts } from './served-accounts.ts'

const newShares = () =>
  new EventLoopShares({ served: new ServedAccounts(), tooManyWait: () => new Error('too many') })

function keepBusy(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

test('quick work is done at once, without a promise', (t) => {
  t.mock.method(performance, 'now', () => 0)
  const shares = newShares()

  const results = Array.from({ length: 3 }, (_, index) => shares.run('a', () => index))

  assert.deepEqual(results, [0, 1, 2])
})

test('after long work the next of the account waits for a round, that of another does not', async () => {
  const shares = newShares()
  const done: string[] = []
  const work = (name: string) => () => void done.push(name)

  shares.run('a', () => keepBusy(3))
  const waiting = [shares.run('a', work('a1')), shares.run('a', work('a2'))]
  shares.run('b', work('b'))
  await Promise.all(waiting)

  assert.deepEqual(done, ['b', 'a1', 'a2'])
})

test('beside others an account rests for a multiple of the time that its work took', async () => {
  const shares = newShares()
  shares.run('b', () => undefined)

  const tookMs = 4
  shares.run('a', () => keepBusy(tookMs))
  const endedAtMs = performance.now()
  const beganAtMs = await shares.run('a', () => performance.now())

  const restMs = beganAtMs - endedAtMs
  assert.ok(restMs > 4 * tookMs, `began after ${restMs} ms`)
})

test('an account that is alone goes on in the next round', async () => {
  const shares = newShares()
  const done: number[] = []

  for (let index = 0; index < 20; index += 1) {
    void shares.run('a', () => {
      keepBusy(2)
      done.push(index)
    })
  }
  for (let round = 0; round < 60; round += 1) await nextRound()

  assert.deepEqual(
    done,
    Array.from({ length: 20 }, (_, index) => index),
  )
})

test('work that throws is counted, and its error reaches the caller at once or later', async () => {
  const shares = newShares()
  const fail = () => {
    keepBusy(2)
    throw new Error('invalid')
  }

  assert.throws(() => shares.run('a', fail), /invalid/)
  await assert.rejects(async () => shares.run('a', fail), /invalid/)
})

test('a thousand works of an account wait at most', async () => {
  const shares = newShares()
  shares.run('a', () => keepBusy(2))

  const waiting = Array.from({ length: 1_000 }, () => shares.run('a', () => undefined))

  assert.throws(() => shares.run('a', () => undefined), /too many/)
  await Promise.all(waiting)
  assert.equal(await shares.run('a', () => 'again'), 'again')
})

test('who leaves while waiting gets the reason, and the work is not done', async () => {
  const shares = newShares()
  shares.run('a', () => keepBusy(2))
  let leave: (reason: unknown) => void = () => undefined
  let isDone = false

  const left = shares.run(
    'a',
    () => {
      isDone = true
    },
    {
      watch(how) {
        leave = how
        return () => undefined
      },
    },
  )
  leave(new Error('gone'))
  await assert.rejects(async () => left, /gone/)
  await shares.run('a', () => undefined)

  assert.equal(isDone, false)
})

test('what work takes later counts as well', async () => {
  const shares = newShares()

  shares.run('a', () => undefined, { laterMs: 5 })
  const next = shares.run('a', () => 'next')

  assert.ok(next instanceof Promise)
  assert.equal(await next, 'next')
})

test('work during which the process stood still for an hour is followed by a short rest', async (t) => {
  const shares = newShares()
  shares.run('b', () => undefined)
  const before = performance.now
  let jumpMs = 0
  t.mock.method(performance, 'now', () => before.call(performance) + jumpMs)

  shares.run('a', () => {
    jumpMs = 3_600_000
  })

  assert.equal(await shares.run('a', () => 'done'), 'done')
})
