import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinkSigner } from './link-signer.ts'

const signer = createLinkSigner({ newest: Buffer.alloc(32, 1) })

test('a signature is right for what was signed, and for nothing else', () => {
  const signature = signer.sign('screenshot 1')

  assert.ok(signer.isRight('screenshot 1', signature))
  assert.ok(!signer.isRight('screenshot 2', signature))
  assert.ok(!createLinkSigner({ newest: Buffer.alloc(32, 2) }).isRight('screenshot 1', signature))
})

test('it has 256 bits, in characters that a link can carry as they are', () => {
  assert.match(signer.sign('screenshot 1'), /^[\w-]{43}$/)
})

test('nothing near it is right: shorter, longer, changed, or the same bytes spelled otherwise', () => {
  const signature = signer.sign('screenshot 1')
  const last = signature.at(-1) ?? ''
  const spelledOtherwise = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .filter((letter) => letter !== last)
    .map((letter) => signature.slice(0, -1) + letter)

  const near = ['', signature.slice(1), `${signature}A`, signature.toLowerCase(), 'ü'.repeat(43)]
  for (const wrong of [...near, ...spelledOtherwise]) {
    assert.ok(!signer.isRight('screenshot 1', wrong), wrong)
  }
})

test('during a rotation signatures of both keys are right, and afterwards those of the new one', () => {
  const fresh = Buffer.alloc(32, 2)
  const both = createLinkSigner({ newest: fresh, previous: Buffer.alloc(32, 1) })

  assert.ok(both.isRight('screenshot 1', signer.sign('screenshot 1')))
  assert.ok(createLinkSigner({ newest: fresh }).isRight('screenshot 1', both.sign('screenshot 1')))
})
