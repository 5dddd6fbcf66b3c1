import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseBrowserSlots, type SlotFacts } from './choose-browser-slots.ts'

/** Two processors, two slots, both taken by pages that wait for their sites, and more to do. */
const idle: SlotFacts = {
  slots: 2,
  slotsSet: 2,
  coreCount: 2,
  cpuBusyShare: 0.3,
  memoryFreeShare: 0.6,
  usedCount: 2,
  waitingCount: 5,
}
const explicit = { slotsSet: 16, slots: 16, usedCount: 16 }

const choices: [what: string, facts: Partial<SlotFacts>, slots: number][] = [
  ['an idle machine with more to do takes one more', {}, 3],
  ['nothing waits', { waitingCount: 0 }, 2],
  ['a slot is free', { usedCount: 1 }, 2],
  ['four times what was set is the most', { slots: 8, usedCount: 8 }, 8],
  ['a machine that is neither idle nor busy stays', { cpuBusyShare: 0.8 }, 2],
  ['busy processors take back what was added', { slots: 5, usedCount: 5, cpuBusyShare: 0.95 }, 4],
  ['busy processors leave one page for each', { cpuBusyShare: 1 }, 2],
  ['so they do with more set than there are', { ...explicit, cpuBusyShare: 1 }, 15],
  ['down to the number of processors', { ...explicit, slots: 2, cpuBusyShare: 1 }, 2],
  ['and up again', { ...explicit, slots: 2, usedCount: 2 }, 3],
  ['fewer may be set than there are', { slotsSet: 1, slots: 1, usedCount: 1, cpuBusyShare: 1 }, 1],
  ['little memory allows no more', { memoryFreeShare: 0.15 }, 2],
  ['short memory takes one away', { memoryFreeShare: 0.05 }, 1],
  ['also below what was set, but never the last', { slots: 1, memoryFreeShare: 0.01 }, 1],
  ['what memory took comes back with it', { slots: 1, cpuBusyShare: 1, waitingCount: 0 }, 2],
  ['but not before there is enough', { slots: 1, memoryFreeShare: 0.15 }, 1],
]

for (const [what, facts, slots] of choices) {
  test(`${what}: ${JSON.stringify(facts)} gives ${slots}`, () => {
    assert.equal(chooseBrowserSlots({ ...idle, ...facts }), slots)
  })
}
