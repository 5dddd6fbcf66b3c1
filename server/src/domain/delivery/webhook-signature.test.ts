import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { signStandard, signVendor, verifyStandard, verifyVendor } from './webhook-signature.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const body = '{"name":"Grüße"}'
const chunks = [Buffer.from(body.slice(0, 9)), Buffer.from(body.slice(9))]
const id = 'msg_1'
const nowSeconds = 1_750_000_000

const received = (change: object = {}) => ({
  id,
  timestamp: String(nowSeconds),
  signature: signStandard(secret, { id, timestampSeconds: nowSeconds, chunks }),
  chunks,
  ...change,
})

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
  assert.equal(verifyVendor(secret, { signature: `sha256=${expected}`, chunks }), 'right')
  assert.equal(verifyVendor(secret, { signature: expected, chunks }), 'wrong')
  assert.equal(verifyVendor('whsec_AA==', { signature: `sha256=${expected}`, chunks }), 'wrong')
})

const verdicts: [what: string, change: object, verdict: string][] = [
  ['that is unchanged', {}, 'right'],
  ['with another body', { chunks: [Buffer.from('{}')] }, 'wrong'],
  ['with another id', { id: 'msg_2' }, 'wrong'],
  ['with another time', { timestamp: String(nowSeconds + 1) }, 'wrong'],
  ['with a malformed time', { timestamp: '1e9' }, 'wrong'],
  ['with an empty signature', { signature: '' }, 'wrong'],
  ['with a signature of another version', { signature: 'v2,abc' }, 'wrong'],
  [
    'that is also signed with a rotated secret',
    { signature: `v1,AAAA ${received().signature}` },
    'right',
  ],
]

for (const [what, change, verdict] of verdicts) {
  test(`the signature of a message ${what} is ${verdict}`, () => {
    assert.equal(verifyStandard(secret, received(change), nowSeconds), verdict)
  })
}

const ages: [seconds: number, verdict: string][] = [
  [300, 'right'],
  [301, 'too old'],
  [-300, 'right'],
  [-301, 'too new'],
]

for (const [seconds, verdict] of ages) {
  test(`the signature of a message that is ${seconds} s old is ${verdict}`, () => {
    assert.equal(verifyStandard(secret, received(), nowSeconds + seconds), verdict)
  })
}
