import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachTurn } from '../../../test/support/each-turn.ts'
import { runInTurns, Turns } from './turns.ts'

test('others have their turn after every few milliseconds of long work', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })
  const turns = new Turns()

  for (let piece = 0; piece < 100; piece += 1) {
    if (turns.isOver) await turns.next()
    nowMs += 1
  }

  assert.ok(othersTurns >= 19, `There were ${othersTurns} turns in 100 ms of work.`)
})

test('many long works together have one turn in each round of the event loop', async (t) => {
  let turnsOfRound = 0
  let most = 0
  onEachTurn(t, () => {
    turnsOfRound = 0
  })
  const onTurn = () => {
    turnsOfRound += 1
    most = Math.max(most, turnsOfRound)
  }

  await Promise.all(Array.from({ length: 10 }, () => takeTurns(new Turns(), 10, onTurn)))

  assert.equal(most, 1)
})

test('accounts take turns, however many long works one of them has', async () => {
  const seen: string[] = []
  const worksOf = (account: string, count: number) =>
    Array.from({ length: count }, () => takeTurns(new Turns(account), 3, () => seen.push(account)))

  await Promise.all([...worksOf('ada', 10), ...worksOf('bob', 1)])

  assert.equal(seen.length, 33)
  assert.ok(seen.lastIndexOf('bob') <= 6, seen.join(' '))
})

test('the long works of one account are done one after the other', async () => {
  const seen: number[] = []
  const works = [1, 2, 3].map((number) => takeTurns(new Turns('ada'), 3, () => seen.push(number)))

  await Promise.all(works)

  assert.deepEqual(seen, [1, 1, 1, 2, 2, 2, 3, 3, 3])
})

test('work that yields has a turn of a few milliseconds in each round, however many begin at once', async (t) => {
  let nowMs = 0
  let sinceTurnMs = 0
  let mostMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  onEachTurn(t, () => {
    sinceTurnMs = 0
  })
  function* work(): Generator<undefined, string> {
    for (let piece = 0; piece < 10; piece += 1) {
      nowMs += 1
      sinceTurnMs += 1
      mostMs = Math.max(mostMs, sinceTurnMs)
      yield
    }
    return 'done'
  }

  const results = await Promise.all(Array.from({ length: 20 }, () => runInTurns(work(), 'ada')))

  assert.deepEqual(results, Array(20).fill('done'))
  assert.ok(mostMs <= 5, `There were ${mostMs} ms of work in one turn.`)
})

async function takeTurns(turns: Turns, count: number, onTurn: () => void): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await turns.next()
    onTurn()
  }
}
