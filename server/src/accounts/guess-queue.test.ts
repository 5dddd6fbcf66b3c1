import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuessQueue } from './guess-queue.ts'

/** Guesses whose checks end when the test says so, and the order in which the checks began. */
function createGuesses() {
  const begun: string[] = []
  const verdicts = new Map<string, (isRight: boolean) => void>()
  return {
    begun,
    check: (name: string) => async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      verdicts.set(name, resolve)
      return { isRight: await promise, cooldownMs: 0 }
    },
    finish: async (name: string) => {
      verdicts.get(name)?.(false)
      await new Promise(setImmediate)
    },
  }
}

const right = async () => ({ isRight: true, cooldownMs: 0 })

test('a flow has one guess checked at a time and does not delay other flows', async () => {
  const queue = new GuessQueue({ pendingMax: 10 })
  const { begun, check, finish } = createGuesses()
  for (const name of ['a1', 'a2']) void queue.run('a', check(name))
  void queue.run('b', check('b1'))

  assert.deepEqual(begun, ['a1', 'b1'])
  await finish('a1')
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
})

test('oldest and newest guess of a flow are checked in turn', async () => {
  const queue = new GuessQueue({ pendingMax: 10 })
  const { begun, check, finish } = createGuesses()
  for (const name of ['1', '2', '3', '4', '5']) void queue.run('a', check(name))

  for (let taken = 0; taken < 4; taken += 1) await finish(begun.at(-1) ?? '')

  assert.deepEqual(begun, ['1', '5', '2', '4', '3'])
})

test('when the queue is full a guess in the middle of the longest flow gets RATE_LIMITED', async () => {
  const queue = new GuessQueue({ pendingMax: 6 })
  const { begun, check, finish } = createGuesses()
  const outcomes = new Map<string, string>()
  const send = (flow: string, name: string) =>
    queue.run(flow, check(name)).then(
      () => outcomes.set(name, 'checked'),
      (error) => outcomes.set(name, error.code),
    )
  for (const name of ['1', '2', '3', '4']) void send('flood', name)
  void send('other', 'o1')
  void send('other', 'o2')

  void send('late', 'l1')
  await new Promise(setImmediate)

  assert.deepEqual([...outcomes], [['3', 'RATE_LIMITED']])
  assert.deepEqual(begun, ['1', 'o1', 'l1'])
  await finish('l1')
  assert.equal(outcomes.get('l1'), 'checked')
})

test('when the queue is full of flows with one guess each a new guess gets RATE_LIMITED', async () => {
  const queue = new GuessQueue({ pendingMax: 2 })
  const { check, finish } = createGuesses()
  void queue.run('a', check('a1'))
  void queue.run('b', check('b1'))

  await assert.rejects(queue.run('c', right), { code: 'RATE_LIMITED' })
  await finish('a1')
  assert.equal(await queue.run('c', right), true)
})

test('a flow pauses after 32 wrong guesses, and the pause delays neither verdicts nor other flows', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 1000
  t.mock.method(performance, 'now', () => nowMs)
  const queue = new GuessQueue({ pendingMax: 10 })
  const wrong = async () => ({ isRight: false, cooldownMs: 100 })
  for (let count = 0; count < 33; count += 1) assert.equal(await queue.run('a', wrong), false)
  let isChecked = false
  const next = queue.run('a', right).then(() => {
    isChecked = true
  })

  t.mock.timers.tick(99)
  await new Promise(setImmediate)
  assert.equal(isChecked, false)
  assert.equal(await queue.run('b', right), true)
  nowMs += 100
  t.mock.timers.tick(1)
  await next
  assert.equal(isChecked, true)
})

test('a check that throws does not stop the next guess of its flow', async () => {
  const queue = new GuessQueue({ pendingMax: 10 })
  const broken = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', right)

  await assert.rejects(broken, /broken/)
  assert.equal(await next, true)
})
