import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayOpenExtraSlot } from './extra-slots.ts'

const held = (...counts: number[]) => new Map(counts.map((count, nth) => [`account ${nth}`, count]))

test('a full lane opens extra slots up to a quarter, rounded up', () => {
  const extra = (slotsMax: number) => {
    let count = 0
    while (
      mayOpenExtraSlot({ slotsMax, usedCount: slotsMax + count, heldByAccount: held(slotsMax) })
    )
      count += 1
    return count
  }

  assert.deepEqual([64, 8, 5, 2, 1, 0].map(extra), [16, 2, 2, 1, 1, 0])
})

test('no extra slot is opened while each account that has slots has one', () => {
  const isOpened = [held(1, 1, 1, 1), held(2, 1, 1), held(3, 1)].map((heldByAccount) =>
    mayOpenExtraSlot({ slotsMax: 4, usedCount: 4, heldByAccount }),
  )

  assert.deepEqual(isOpened, [false, true, true])
})
