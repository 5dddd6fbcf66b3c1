import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CannotUnseal, createSealer } from './seal.ts'

const sealer = createSealer({ newest: Buffer.alloc(32, 1) })

test('a sealed text opens in its own row, and does not contain the secret', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 8 }), fc.string(), (secret, place) => {
      const sealed = sealer.seal(secret, place)
      assert.equal(sealer.open(sealed, place), secret)
      assert.ok(!sealed.includes(secret))
    }),
  )
})

test('sealing the same secret twice gives different texts', () => {
  assert.notEqual(sealer.seal('secret', 'row 1'), sealer.seal('secret', 'row 1'))
})

test('a sealed text does not open in another row, with another key or after a change', () => {
  const sealed = sealer.seal('secret', 'row 1')
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')

  assert.throws(() => sealer.open(sealed, 'row 2'), CannotUnseal)
  assert.throws(
    () => createSealer({ newest: Buffer.alloc(32, 2) }).open(sealed, 'row 1'),
    CannotUnseal,
  )
  assert.throws(() => sealer.open(changed, 'row 1'), CannotUnseal)
})

test('during a key rotation both keys open, and the previous key seals while it is in use', () => {
  const [old, fresh] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const keys = { newest: fresh, previous: old, isPreviousInUse: true }
  const both = createSealer(keys)

  const before = both.seal('secret', 'row 1')
  keys.isPreviousInUse = false
  const after = both.seal('secret', 'row 1')

  assert.deepEqual([before, after, 'secret'].map(both.stateOf), ['previous', 'newest', 'plain'])
  assert.equal(both.open(before, 'row 1'), 'secret')
  assert.equal(both.open(after, 'row 1'), 'secret')
  assert.equal(sealer.open(before, 'row 1'), 'secret')
  assert.equal(sealer.stateOf(after), 'unknown')
})

test('a plain text that only starts like a sealed one counts as plain', () => {
  const ofThirdKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('', 'row 1')

  assert.equal(sealer.stateOf('deadbeef.example is not a host of ours'), 'plain')
  assert.equal(sealer.stateOf('deadbeef.'), 'plain')
  assert.equal(sealer.stateOf(ofThirdKey), 'unknown')
})

test('a truncated text does not open', () => {
  const sealed = sealer.seal('secret', 'row 1')

  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => sealer.open(sealed.slice(0, length), 'row 1'), CannotUnseal)
  }
})
