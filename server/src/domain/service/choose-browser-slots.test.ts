import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseBrowserSlots, type SlotFacts } from './choose-browser-slots.ts'

/** Two processors, two slots, both used by pages that wait for their sites, and tasks that wait. */
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
  ['an idle machine with waiting tasks adds a slot', {}, 3],
  ['no slot is added while no task waits', { waitingCount: 0 }, 2],
  ['no slot is added while one is free', { usedCount: 1 }, 2],
  ['slots end at four times the setting', { slots: 8, usedCount: 8 }, 8],
  ['a machine that is neither idle nor busy keeps its slots', { cpuBusyShare: 0.8 }, 2],
  ['a busy CPU removes an added slot', { slots: 5, usedCount: 5, cpuBusyShare: 0.95 }, 4],
  ['a busy CPU keeps one slot per processor', { cpuBusyShare: 1 }, 2],
  ['a busy CPU removes a slot of a high setting', { ...explicit, cpuBusyShare: 1 }, 15],
  ['a high setting keeps one slot per processor', { ...explicit, slots: 2, cpuBusyShare: 1 }, 2],
  ['a removed slot of a high setting comes back', { ...explicit, slots: 2, usedCount: 2 }, 3],
  ['a low setting is kept', { slotsSet: 1, slots: 1, usedCount: 1, cpuBusyShare: 1 }, 1],
  ['no slot is added while memory is scarce', { memoryFreeShare: 0.15 }, 2],
  ['a slot is removed when memory is short', { memoryFreeShare: 0.05 }, 1],
  ['the last slot is never removed', { slots: 1, memoryFreeShare: 0.01 }, 1],
  ['a slot comes back with memory', { slots: 1, cpuBusyShare: 1, waitingCount: 0 }, 2],
  ['a slot does not come back while memory is scarce', { slots: 1, memoryFreeShare: 0.15 }, 1],
]

for (const [what, facts, slots] of choices) {
  test(`${what}: ${JSON.stringify(facts)} gives ${slots}`, () => {
    assert.equal(chooseBrowserSlots({ ...idle, ...facts }), slots)
  })
}
