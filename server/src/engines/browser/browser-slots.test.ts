import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createBrowserSlots } from './browser-slots.ts'

const idle = { cpuBusyShare: 0.1, memoryFreeShare: 0.8 }
const short = { cpuBusyShare: 0.1, memoryFreeShare: 0.01 }

/** Slots on a machine whose load is told by the test, which hears of every look at it. */
function slotsOn(machine: { load: typeof idle | undefined }, waitingCount = 10) {
  const looks = new EventTarget()
  const counted = { gauges: 0, more: 0 }
  const slots = createBrowserSlots({
    slotsSet: 2,
    coreCount: 2,
    waitingCount: () => waitingCount,
    onMore: () => {
      counted.more += 1
    },
    openGauge: () => {
      counted.gauges += 1
      return () => {
        queueMicrotask(() => looks.dispatchEvent(new Event('look')))
        return machine.load
      }
    },
    judgedEveryMs: 5,
  })
  const occupy = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended = slots.occupy(() => promise)
    return async () => {
      resolve()
      await ended
    }
  }
  return { slots, counted, occupy, looked: () => once(looks, 'look') }
}

test('an idle machine has one slot more with every look, and it is said', async () => {
  const { slots, counted, occupy, looked } = slotsOn({ load: idle })
  const ends = [occupy(), occupy()]

  await looked()
  const afterOne = slots.max()
  ends.push(occupy())
  await looked()

  assert.equal(afterOne, 3)
  assert.equal(slots.max(), 4)
  assert.equal(counted.more, 2)
  for (const end of ends) await end()
})

test('short memory takes slots away without a word, and rest gives them back', async () => {
  const machine = { load: short }
  const { slots, counted, occupy, looked } = slotsOn(machine)
  const end = occupy()
  await looked()
  const whileShort = slots.max()
  await end()

  assert.equal(whileShort, 1)
  assert.equal(slots.max(), 2)
  assert.equal(counted.more, 0)
})

test('the machine is looked at only while pages are open, each time afresh', async () => {
  const { slots, counted, occupy, looked } = slotsOn({ load: idle }, 0)
  assert.equal(counted.gauges, 0)

  for (let round = 1; round <= 2; round += 1) {
    const end = occupy()
    await looked()
    assert.equal(slots.usedCount, 1)
    await end()
    assert.equal(slots.usedCount, 0)
    assert.equal(counted.gauges, round)
  }
})

test('where the machine does not say, the number stays; failed work gives its slot back', async () => {
  const { slots, occupy, looked } = slotsOn({ load: undefined })
  const end = occupy()
  await looked()

  await assert.rejects(
    slots.occupy(() => Promise.reject(new Error('crashed'))),
    /crashed/,
  )

  assert.equal(slots.max(), 2)
  assert.equal(slots.usedCount, 1)
  await end()
})
