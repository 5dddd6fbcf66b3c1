import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listProxy } from '../../../test/support/list-proxy.ts'
import { chooseProxy, fits, type ProxyCandidate, type ProxyWish } from './choose-proxy.ts'
import type { ListedProxy } from './proxy.ts'
import { type ProxyHealth, unknownHealth } from './proxy-health.ts'

const nowMs = 1_000_000

interface Given extends Partial<ListedProxy> {
  isAnywhere?: boolean
  health?: Partial<ProxyHealth>
  uses?: number
  turn?: number
}

function candidate(label: string, given: Given = {}): ProxyCandidate {
  const { isAnywhere = false, health, uses = 0, turn = 0, ...proxy } = given
  return {
    proxy: listProxy(label, proxy),
    isAnywhere,
    health: { ...unknownHealth, scoredAtMs: nowMs, ...health },
    usesUnderWay: uses,
    lastTurn: turn,
  }
}

const anything: ProxyWish = { country: null, isResidentialOnly: false }
const cooling = { coolsDownUntilMs: nowMs + 1 }

function chosenLabel(
  candidates: ProxyCandidate[],
  { tried = [], ...wish }: Partial<ProxyWish> & { tried?: string[] } = {},
): string | undefined {
  const found = tried.map((label) => candidates.find(({ proxy }) => proxy.label === label))
  return chooseProxy(
    candidates,
    { ...anything, ...wish },
    { tried: found.filter((one) => one !== undefined), nowMs },
  )?.proxy.label
}

const fitting: [what: string, given: Given, wish: Partial<ProxyWish>, isFitting: boolean][] = [
  ['any will do where nothing is asked', {}, {}, true],
  ['one of an unknown country too', { country: null }, {}, true],
  ['the country asked for', { country: 'US' }, { country: 'US' }, true],
  ['another country', { country: 'DE' }, { country: 'US' }, false],
  ['an unknown country', { country: null }, { country: 'US' }, false],
  ['a template is anywhere', { country: null, isAnywhere: true }, { country: 'US' }, true],
  ['also with a country of its own', { country: 'DE', isAnywhere: true }, { country: 'US' }, true],
  ['which it has where none is asked', { country: 'DE', isAnywhere: true }, {}, true],
  ['without it there is none to fill in', { country: null, isAnywhere: true }, {}, false],
  ['a datacenter is no residence', {}, { isResidentialOnly: true }, false],
  ['a residence is', { type: 'residential' }, { isResidentialOnly: true }, true],
  ['where any will do, too', { type: 'residential' }, {}, true],
  [
    'both are asked and one is missing',
    { type: 'residential', country: 'DE' },
    { country: 'US', isResidentialOnly: true },
    false,
  ],
]

for (const [what, given, wish, isFitting] of fitting) {
  test(`${what}: ${isFitting ? 'it fits' : 'it does not fit'}`, () => {
    const one = candidate('one', given)

    assert.equal(fits(one, { ...anything, ...wish }), isFitting)
    assert.equal(chosenLabel([one], wish), isFitting ? 'one' : undefined)
  })
}

const choices: [what: string, candidates: ProxyCandidate[], tried: string[], label: string][] = [
  [
    'of equals the one chosen longest ago',
    [candidate('a', { turn: 3 }), candidate('b', { turn: 1 }), candidate('c', { turn: 2 })],
    [],
    'b',
  ],
  ['less under way', [candidate('a', { uses: 2, turn: 1 }), candidate('b', { turn: 2 })], [], 'b'],
  [
    'a little more under way is the same',
    [candidate('a', { uses: 8, turn: 1 }), candidate('b', { uses: 7, turn: 2 })],
    [],
    'a',
  ],
  [
    'a better score',
    [candidate('a', { health: { score: 0.5 }, turn: 1 }), candidate('b', { turn: 2 })],
    [],
    'b',
  ],
  [
    'a slightly better score is the same',
    [candidate('a', { health: { score: 0.8 }, turn: 1 }), candidate('b', { turn: 2 })],
    [],
    'a',
  ],
  [
    'a better score carries more, not all',
    [candidate('a', { health: { score: 0.5 } }), candidate('b', { uses: 3 })],
    [],
    'a',
  ],
  [
    'a bad score is forgiven in time',
    [
      candidate('a', { health: { score: 0.1, scoredAtMs: nowMs - 500_000 }, turn: 1 }),
      candidate('b', { turn: 2 }),
    ],
    [],
    'a',
  ],
  [
    'what cools down comes last',
    [candidate('a', { health: cooling }), candidate('b', { health: { score: 0 }, uses: 50 })],
    [],
    'b',
  ],
  ['but is not left out', [candidate('a', { health: cooling })], [], 'a'],
  [
    'what cools down is spread over as well',
    [
      candidate('a', { health: cooling, turn: 2 }),
      candidate('b', { health: cooling, turn: 1 }),
      candidate('c', { health: cooling, turn: 3 }),
    ],
    [],
    'b',
  ],
  [
    'a retry takes another',
    [candidate('a'), candidate('b', { health: { score: 0.1 }, uses: 9 })],
    ['a'],
    'b',
  ],
  ['where there is one', [candidate('a')], ['a'], 'a'],
  [
    'then the one tried longest ago',
    [candidate('a'), candidate('b'), candidate('c')],
    ['b', 'c', 'a', 'b'],
    'c',
  ],
  ['also one that cools down', [candidate('a'), candidate('b', { health: cooling })], ['a'], 'b'],
  [
    'when all were tried, one that does not cool down',
    [candidate('a', { health: cooling }), candidate('b'), candidate('c')],
    ['c', 'a', 'b', 'c'],
    'b',
  ],
  [
    'of those that cool down one not tried',
    [candidate('a', { health: cooling }), candidate('b', { health: cooling })],
    ['a'],
    'b',
  ],
]

for (const [what, candidates, tried, label] of choices) {
  test(`${what}: ${label}`, () => {
    assert.equal(chosenLabel(candidates, { tried }), label)
  })
}

test('where none fits there is none, however many there are', () => {
  assert.equal(chosenLabel([]), undefined)
  assert.equal(chosenLabel([candidate('a'), candidate('b')], { country: 'US' }), undefined)
})
