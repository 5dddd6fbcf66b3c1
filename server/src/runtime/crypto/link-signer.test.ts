import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinkSigner } from './link-signer.ts'

const signer = createLinkSigner({ newest: Buffer.alloc(32, 1) })

test('a signature is valid for its own subject and key only', () => {
  const signature = signer.sign('screenshot 1')

  assert.ok(signer.isValid('screenshot 1', signature))
  assert.ok(!signer.isValid('screenshot 2', signature))
  assert.ok(!createLinkSigner({ newest: Buffer.alloc(32, 2) }).isValid('screenshot 1', signature))
})

test('a signature has 256 bits, in characters that a URL need not escape', () => {
  assert.match(signer.sign('screenshot 1'), /^[\w-]{43}$/)
})

test('a shorter, longer, changed or differently encoded signature is invalid', () => {
  const signature = signer.sign('screenshot 1')
  const last = signature.at(-1) ?? ''
  const spelledOtherwise = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .filter((letter) => letter !== last)
    .map((letter) => signature.slice(0, -1) + letter)

  const near = ['', signature.slice(1), `${signature}A`, signature.toLowerCase(), 'ü'.repeat(43)]
  for (const wrong of [...near, ...spelledOtherwise]) {
    assert.ok(!signer.isValid('screenshot 1', wrong), wrong)
  }
})

test('during a key rotation signatures of both keys are valid, afterwards those of the new key', () => {
  const fresh = Buffer.alloc(32, 2)
  const both = createLinkSigner({ newest: fresh, previous: Buffer.alloc(32, 1) })

  assert.ok(both.isValid('screenshot 1', signer.sign('screenshot 1')))
  assert.ok(createLinkSigner({ newest: fresh }).isValid('screenshot 1', both.sign('screenshot 1')))
})
