import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { pipePaced } from './paced-pipe.ts'

const piece = Buffer.alloc(1_000)
const readPieces = (count: number) => Readable.from(Array(count).fill(piece), { objectMode: false })

test('a paced pipe passes on one piece in a round of the event loop', async () => {
  let inRound = 0
  const perRound: number[] = []
  const destination = new Writable({
    write(_chunk, _encoding, done) {
      inRound += 1
      done()
    },
  })
  const ended = once(destination, 'finish')

  pipePaced(readPieces(50), destination)
  while (!destination.writableFinished) {
    await nextRound()
    perRound.push(inRound)
    inRound = 0
  }

  await ended
  assert.equal(
    perRound.reduce((sum, count) => sum + count),
    50,
  )
  assert.ok(Math.max(...perRound) <= 2, `${Math.max(...perRound)} pieces in a round`)
})

test('a paced pipe waits for a destination that is full', async () => {
  let written = 0
  let goOn: () => void = () => undefined
  const destination = new Writable({
    highWaterMark: 3_000,
    write(chunk: Buffer, _encoding, done) {
      written += chunk.length
      goOn = done
    },
  })

  pipePaced(readPieces(20), destination)
  for (let round = 0; round < 50; round += 1) await nextRound()
  assert.ok(destination.writableLength <= 4_000, `${destination.writableLength} bytes wait`)

  const ended = once(destination, 'finish')
  const goingOn = setInterval(() => goOn(), 0)
  await ended
  clearInterval(goingOn)
  assert.equal(written, 20_000)
})
