import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CannotUnseal, createSealer } from './seal.ts'

const sealer = createSealer(Buffer.alloc(32, 1))

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
  assert.throws(() => createSealer(Buffer.alloc(32, 2)).open(sealed, 'row 1'), CannotUnseal)
  assert.throws(() => sealer.open(changed, 'row 1'), CannotUnseal)
})
