import assert from 'node:assert/strict'
import test from 'node:test'
import { Room } from './room.ts'

/** What has been granted so far, by name. */
function asking(room: Room) {
  const granted: string[] = []
  const ask = (name: string, amount: number) => {
    const share = room.open()
    void share.take(amount).then(() => granted.push(name))
    return share
  }
  return { granted, ask, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

test('room is given as long as there is some, then in the order of asking', async () => {
  const { granted, ask, settled } = asking(new Room(10))

  const first = ask('first', 6)
  ask('second', 6)
  ask('third', 2)
  await settled()
  assert.deepEqual(granted, ['first'])

  first[Symbol.dispose]()
  await settled()
  assert.deepEqual(granted, ['first', 'second', 'third'])
})

test('more than there is at all is all that there is', async () => {
  const { granted, ask, settled } = asking(new Room(10))

  ask('much', 99)
  await settled()

  assert.deepEqual(granted, ['much'])
})

test('whoever gives up in line leaves it', async () => {
  const { granted, ask, settled } = asking(new Room(10))

  ask('first', 9)[Symbol.dispose]()
  const second = ask('second', 9)
  ask('third', 9)[Symbol.dispose]()
  second[Symbol.dispose]()
  ask('fourth', 10)
  await settled()

  assert.deepEqual(granted, ['first', 'second', 'fourth'])
})

test('whoever asks again gives back what they had', async () => {
  const room = new Room(10)
  const share = room.open()
  const other = room.open()

  await share.take(8)
  const waiting = other.take(8)
  await Promise.all([waiting.then(() => other[Symbol.dispose]()), share.take(5)])
  await other.take(5)
})
