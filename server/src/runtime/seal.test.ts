import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CannotUnseal, createSealer } from './seal.ts'

const sealer = createSealer({ newest: Buffer.alloc(32, 1) })

test('what was sealed opens again in its place, and its text is not in the box', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 8 }), fc.string(), (secret, place) => {
      const sealed = sealer.seal(secret, place)
      assert.equal(sealer.open(sealed, place), secret)
      assert.ok(!sealed.includes(secret))
    }),
  )
})

test('the same secret is sealed differently each time', () => {
  assert.notEqual(sealer.seal('secret', 'row 1'), sealer.seal('secret', 'row 1'))
})

test('in another row, with another key or changed it does not open', () => {
  const sealed = sealer.seal('secret', 'row 1')
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')

  assert.throws(() => sealer.open(sealed, 'row 2'), CannotUnseal)
  assert.throws(
    () => createSealer({ newest: Buffer.alloc(32, 2) }).open(sealed, 'row 1'),
    CannotUnseal,
  )
  assert.throws(() => sealer.open(changed, 'row 1'), CannotUnseal)
})

test('with two keys both open, and the previous one seals for as long as it is in use', () => {
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

test('a plain text that only begins like a sealed one is plain', () => {
  const ofThirdKey = createSealer({ newest: Buffer.alloc(32, 3) }).seal('', 'row 1')

  assert.equal(sealer.stateOf('deadbeef.example is not a host of ours'), 'plain')
  assert.equal(sealer.stateOf('deadbeef.'), 'plain')
  assert.equal(sealer.stateOf(ofThirdKey), 'unknown')
})

test('a text that was cut short does not open', () => {
  const sealed = sealer.seal('secret', 'row 1')

  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => sealer.open(sealed.slice(0, length), 'row 1'), CannotUnseal)
  }
})
