import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { createBrowserSlots } from './browser-slots.ts'

const idle = { cpuBusyShare: 0.1, memoryFreeShare: 0.8 }
const short = { cpuBusyShare: 0.1, memoryFreeShare: 0.01 }

/** Slots on a machine whose load the test sets; `loadRead` resolves at its next reading. */
function slotsOn(machine: { load: typeof idle | undefined }, waitingCount = 10) {
  const readings = new EventTarget()
  const counted = { gauges: 0, increases: 0 }
  const slots = createBrowserSlots({
    slotsSet: 2,
    coreCount: 2,
    waitingCount: () => waitingCount,
    onIncrease: () => {
      counted.increases += 1
    },
    openGauge: () => {
      counted.gauges += 1
      return () => {
        queueMicrotask(() => readings.dispatchEvent(new Event('read')))
        return machine.load
      }
    },
    adjustIntervalMs: 5,
  })
  const occupy = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended = slots.occupy(() => promise)
    return async () => {
      resolve()
      await ended
    }
  }
  return { slots, counted, occupy, loadRead: () => once(readings, 'read') }
}

test('an idle machine gains one browser slot with every load reading and reports it', async () => {
  const { slots, counted, occupy, loadRead } = slotsOn({ load: idle })
  const ends = [occupy(), occupy()]

  await loadRead()
  const afterOne = slots.max()
  ends.push(occupy())
  await loadRead()

  assert.equal(afterOne, 3)
  assert.equal(slots.max(), 4)
  assert.equal(counted.increases, 2)
  for (const end of ends) await end()
})

test('low memory takes browser slots away, and the setting applies again when no page is open', async () => {
  const machine = { load: short }
  const { slots, counted, occupy, loadRead } = slotsOn(machine)
  const end = occupy()
  await loadRead()
  const whileShort = slots.max()
  await end()

  assert.equal(whileShort, 1)
  assert.equal(slots.max(), 2)
  assert.equal(counted.increases, 0)
})

test('the load of the machine is read only while pages are open, with a new gauge each time', async () => {
  const { slots, counted, occupy, loadRead } = slotsOn({ load: idle }, 0)
  assert.equal(counted.gauges, 0)

  for (let round = 1; round <= 2; round += 1) {
    const end = occupy()
    await loadRead()
    assert.equal(slots.usedCount, 1)
    await end()
    assert.equal(slots.usedCount, 0)
    assert.equal(counted.gauges, round)
  }
})

test('the slot limit stays when the load is unknown, and failed work releases its slot', async () => {
  const { slots, occupy, loadRead } = slotsOn({ load: undefined })
  const end = occupy()
  await loadRead()

  await assert.rejects(
    slots.occupy(() => Promise.reject(new Error('crashed'))),
    /crashed/,
  )

  assert.equal(slots.max(), 2)
  assert.equal(slots.usedCount, 1)
  await end()
})
