import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signStandard, signVendor } from './webhook-signature.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = '{"name":"Grüße"}'
const chunks = [Buffer.from(body.slice(0, 9)), Buffer.from(body.slice(9))]
const id = 'msg_1'
const nowSeconds = 1_750_000_000

test('the standard signature equals that of the Standard Webhooks library', () => {
  const expected = new Webhook(secret).sign(id, new Date(nowSeconds * 1000), body)

  assert.equal(signStandard(secret, { id, timestampSeconds: nowSeconds, chunks }), expected)
})

test('a secret without the prefix whsec_ is used as the key itself', () => {
  const expected = new Webhook('my own secret', { format: 'raw' }).sign(
    id,
    new Date(nowSeconds * 1000),
    body,
  )

  assert.equal(
    signStandard('my own secret', { id, timestampSeconds: nowSeconds, chunks }),
    expected,
  )
})

test('the signature of /v1 covers the body alone and uses the whole secret as the key', () => {
  const expected = createHmac('sha256', secret).update(body).digest('hex')

  assert.equal(signVendor(secret, chunks), `sha256=${expected}`)
})
