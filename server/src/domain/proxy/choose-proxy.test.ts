import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListedProxy } from '../../../test/support/listed-proxy.ts'
import {
  chooseProxy,
  meetsRequirements,
  type ProxyCandidate,
  type ProxyRequirements,
} from './choose-proxy.ts'
import type { ListedProxy } from './proxy.ts'
import { isCoolingDown, type ProxyHealth, unknownHealth } from './proxy-health.ts'

const nowMs = 1_000_000

interface Given extends Partial<ListedProxy> {
  anyCountry?: boolean
  health?: Partial<ProxyHealth>
  uses?: number
  turn?: number
}

function candidate(label: string, given: Given = {}): ProxyCandidate {
  const { anyCountry = false, health, uses = 0, turn = 0, ...proxy } = given
  return {
    proxy: createListedProxy(label, proxy),
    servesAnyCountry: anyCountry,
    health: { ...unknownHealth, scoredAtMs: nowMs, ...health },
    isBlamed: false,
    activeUses: uses,
    lastChosenSeq: turn,
  }
}

const anything: ProxyRequirements = { country: null, type: null }
const residential: Requirements = { type: 'residential' }
const cooling = { coolsDownUntilMs: nowMs + 1 }

function chosenLabel(
  candidates: ProxyCandidate[],
  { tried = [], ...required }: Partial<ProxyRequirements> & { tried?: string[] } = {},
): string | undefined {
  const found = tried.map((label) => candidates.find(({ proxy }) => proxy.label === label))
  return chooseProxy(
    candidates,
    { ...anything, ...required },
    {
      tried: found.filter((one) => one !== undefined),
      nowMs,
      coolsDown: ({ health }) => isCoolingDown(health, nowMs),
    },
  )?.proxy.label
}

type Requirements = Partial<ProxyRequirements>
const fitting: [what: string, given: Given, required: Requirements, isFitting: boolean][] = [
  ['a proxy', {}, {}, true],
  ['a proxy of unknown country', { country: null }, {}, true],
  ['a proxy in the required country', { country: 'US' }, { country: 'US' }, true],
  ['a proxy in another country', { country: 'DE' }, { country: 'US' }, false],
  ['a proxy of unknown country', { country: null }, { country: 'US' }, false],
  ['a template for any country', { country: null, anyCountry: true }, { country: 'US' }, true],
  ['a template with its own country', { country: 'DE', anyCountry: true }, { country: 'US' }, true],
  ['a template with its own country', { country: 'DE', anyCountry: true }, {}, true],
  ['a template without a country', { country: null, anyCountry: true }, {}, false],
  ['a datacenter proxy', {}, residential, false],
  ['a residential proxy', { type: 'residential' }, residential, true],
  ['a residential proxy', { type: 'residential' }, {}, true],
  [
    'a residential proxy in another country',
    { type: 'residential', country: 'DE' },
    { country: 'US', ...residential },
    false,
  ],
]

for (const [what, given, required, isFitting] of fitting) {
  const verb = isFitting ? 'meets' : 'does not meet'
  test(`${what} ${verb} the requirements ${JSON.stringify(required)}`, () => {
    const one = candidate('one', given)

    assert.equal(meetsRequirements(one, { ...anything, ...required }), isFitting)
    assert.equal(chosenLabel([one], required), isFitting ? 'one' : undefined)
  })
}

const choices: [what: string, candidates: ProxyCandidate[], tried: string[], label: string][] = [
  [
    'equal proxies take turns: the one chosen longest ago is taken',
    [candidate('a', { turn: 3 }), candidate('b', { turn: 1 }), candidate('c', { turn: 2 })],
    [],
    'b',
  ],
  ['fewer uses win', [candidate('a', { uses: 2, turn: 1 }), candidate('b', { turn: 2 })], [], 'b'],
  [
    'a slightly different number of active uses does not matter',
    [candidate('a', { uses: 8, turn: 1 }), candidate('b', { uses: 7, turn: 2 })],
    [],
    'a',
  ],
  [
    'a proxy with a better score is preferred',
    [candidate('a', { health: { score: 0.5 }, turn: 1 }), candidate('b', { turn: 2 })],
    [],
    'b',
  ],
  [
    'a slightly better score does not matter',
    [candidate('a', { health: { score: 0.8 }, turn: 1 }), candidate('b', { turn: 2 })],
    [],
    'a',
  ],
  [
    'a better score is outweighed by many active uses',
    [candidate('a', { health: { score: 0.5 } }), candidate('b', { uses: 3 })],
    [],
    'a',
  ],
  [
    'a bad score recovers with time',
    [
      candidate('a', { health: { score: 0.1, scoredAtMs: nowMs - 500_000 }, turn: 1 }),
      candidate('b', { turn: 2 }),
    ],
    [],
    'a',
  ],
  [
    'a proxy that is cooling down comes after a bad and busy one',
    [candidate('a', { health: cooling }), candidate('b', { health: { score: 0 }, uses: 50 })],
    [],
    'b',
  ],
  [
    'a proxy that is cooling down is taken if it is the only one',
    [candidate('a', { health: cooling })],
    [],
    'a',
  ],
  [
    'proxies that are cooling down take turns too',
    [
      candidate('a', { health: cooling, turn: 2 }),
      candidate('b', { health: cooling, turn: 1 }),
      candidate('c', { health: cooling, turn: 3 }),
    ],
    [],
    'b',
  ],
  [
    'a retry takes a proxy that was not tried, though it is worse',
    [candidate('a'), candidate('b', { health: { score: 0.1 }, uses: 9 })],
    ['a'],
    'b',
  ],
  ['a retry takes the same proxy if it is the only one', [candidate('a')], ['a'], 'a'],
  [
    'a retry takes the proxy tried longest ago once all were tried',
    [candidate('a'), candidate('b'), candidate('c')],
    ['b', 'c', 'a', 'b'],
    'c',
  ],
  [
    'a retry takes a proxy that is cooling down before one that was tried',
    [candidate('a'), candidate('b', { health: cooling })],
    ['a'],
    'b',
  ],
  [
    'a retry takes a proxy that is not cooling down once all were tried',
    [candidate('a', { health: cooling }), candidate('b'), candidate('c')],
    ['c', 'a', 'b', 'c'],
    'b',
  ],
  [
    'a retry takes an untried proxy where all are cooling down',
    [candidate('a', { health: cooling }), candidate('b', { health: cooling })],
    ['a'],
    'b',
  ],
]

for (const [what, candidates, tried, label] of choices) {
  test(what, () => {
    assert.equal(chosenLabel(candidates, { tried }), label)
  })
}

test('no proxy is chosen where none meets the requirements', () => {
  assert.equal(chosenLabel([]), undefined)
  assert.equal(chosenLabel([candidate('a'), candidate('b')], { country: 'US' }), undefined)
})
