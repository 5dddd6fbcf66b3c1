import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GuessQueue } from './guess-queue.ts'

/** A guess that is judged when the test says so, and the order in which guesses were begun. */
function createGuesses() {
  const begun: string[] = []
  const verdicts = new Map<string, (isRight: boolean) => void>()
  return {
    begun,
    judge: (name: string) => async () => {
      begun.push(name)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      verdicts.set(name, resolve)
      return { isRight: await promise, restMs: 0 }
    },
    finish: async (name: string) => {
      verdicts.get(name)?.(false)
      await new Promise(setImmediate)
    },
  }
}

const right = async () => ({ isRight: true, restMs: 0 })

test('a flow has one guess judged at a time, other flows do not wait for it', async () => {
  const queue = new GuessQueue({ pendingMax: 10 })
  const { begun, judge, finish } = createGuesses()
  for (const name of ['a1', 'a2']) void queue.run('a', judge(name))
  void queue.run('b', judge('b1'))

  assert.deepEqual(begun, ['a1', 'b1'])
  await finish('a1')
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
})

test('newest and oldest guess of a flow take turns', async () => {
  const queue = new GuessQueue({ pendingMax: 10 })
  const { begun, judge, finish } = createGuesses()
  for (const name of ['1', '2', '3', '4', '5']) void queue.run('a', judge(name))

  for (let taken = 0; taken < 4; taken += 1) await finish(begun.at(-1) ?? '')

  assert.deepEqual(begun, ['1', '5', '2', '4', '3'])
})

test('one guess too many is refused from the middle of the longest flow', async () => {
  const queue = new GuessQueue({ pendingMax: 6 })
  const { begun, judge, finish } = createGuesses()
  const outcomes = new Map<string, string>()
  const send = (flow: string, name: string) =>
    queue.run(flow, judge(name)).then(
      () => outcomes.set(name, 'judged'),
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
  assert.equal(outcomes.get('l1'), 'judged')
})

test('a guess is refused when every flow has one guess only and there is no room', async () => {
  const queue = new GuessQueue({ pendingMax: 2 })
  const { judge, finish } = createGuesses()
  void queue.run('a', judge('a1'))
  void queue.run('b', judge('b1'))

  await assert.rejects(queue.run('c', right), { code: 'RATE_LIMITED' })
  await finish('a1')
  assert.equal(await queue.run('c', right), true)
})

test('a flow rests after 32 wrong guesses, also when it paused in between; the verdict does not wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let nowMs = 1000
  t.mock.method(performance, 'now', () => nowMs)
  const queue = new GuessQueue({ pendingMax: 10 })
  const wrong = async () => ({ isRight: false, restMs: 100 })
  for (let count = 0; count < 33; count += 1) assert.equal(await queue.run('a', wrong), false)
  let isJudged = false
  const next = queue.run('a', right).then(() => {
    isJudged = true
  })

  t.mock.timers.tick(99)
  await new Promise(setImmediate)
  assert.equal(isJudged, false)
  assert.equal(await queue.run('b', right), true)
  nowMs += 100
  t.mock.timers.tick(1)
  await next
  assert.equal(isJudged, true)
})

test('a guess whose check fails lets the next one of its flow be judged', async () => {
  const queue = new GuessQueue({ pendingMax: 10 })
  const broken = queue.run('a', () => Promise.reject(new Error('broken')))
  const next = queue.run('a', right)

  await assert.rejects(broken, /broken/)
  assert.equal(await next, true)
})
