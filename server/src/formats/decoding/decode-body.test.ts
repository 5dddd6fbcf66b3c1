import assert from 'node:assert/strict'
import test from 'node:test'
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { decodeBody } from './decode-body.ts'

const text = Buffer.from('<p>fish</p>'.repeat(500))

const encoded = {
  identity: text,
  gzip: gzipSync(text),
  'x-gzip': gzipSync(text),
  ' GZIP ': gzipSync(text),
  br: brotliCompressSync(text),
  zstd: zstdCompressSync(text),
  deflate: deflateSync(text),
  'gzip, br': brotliCompressSync(gzipSync(text)),
  'br, identity, gzip': gzipSync(brotliCompressSync(text)),
}

for (const [encoding, body] of Object.entries(encoded)) {
  test(`a body with content-encoding "${encoding}" is decoded`, () => {
    assert.deepEqual(Buffer.from(decodeBody(body, encoding)), text)
  })
}

test('a deflate body without zlib’s header is decoded', () => {
  assert.deepEqual(Buffer.from(decodeBody(deflateRawSync(text), 'deflate')), text)
})

for (const [encoding, compress] of [
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
] as const) {
  test(`a ${encoding} body of several concatenated frames is decoded to its end`, () => {
    const pieces = [text.subarray(0, 99), Buffer.alloc(0), text.subarray(99)]
    const body = Buffer.concat(pieces.map((piece) => compress(piece)))

    assert.deepEqual(Buffer.from(decodeBody(body, encoding)), text)
  })

  test(`the frames of a ${encoding} body share one size limit`, () => {
    const body = Buffer.concat(Array(40).fill(compress(Buffer.alloc(2 ** 20))))

    assert.throws(() => decodeBody(body, encoding), { code: 'RESPONSE_TOO_LARGE' })
  })
}

test('a zstd body of too many frames is a bad response', () => {
  const body = Buffer.concat(Array(2_000).fill(zstdCompressSync(Buffer.alloc(0))))

  assert.throws(() => decodeBody(body, 'zstd'), { code: 'BAD_RESPONSE' })
})

test('a body without an encoding is returned as it is', () => {
  assert.equal(decodeBody(text, undefined), text)
  assert.equal(decodeBody(text, ''), text)
})

test('an empty body stays empty, whatever encoding is named', () => {
  for (const encoding of ['gzip', 'br', 'zstd', 'deflate', 'gzip, br']) {
    assert.equal(decodeBody(new Uint8Array(), encoding).byteLength, 0, encoding)
  }
})

test('a body in the middle of a larger buffer is decoded alone', () => {
  const body = gzipSync(text)
  const around = Buffer.concat([Buffer.alloc(7, 1), body, Buffer.alloc(9, 255)])

  const decoded = decodeBody(around.subarray(7, 7 + body.length), 'gzip')

  assert.deepEqual(Buffer.from(decoded), text)
})

const refused = {
  'more than two encodings': ['gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(text)))],
  'fifty encodings': [Array(50).fill('gzip').join(', '), text],
  'an unknown encoding': ['rot13', text],
  'an encoding named like an object’s property': ['constructor', text],
  'a gzip that was cut off': ['gzip', gzipSync(text).subarray(0, -12)],
  'a gzip without its trailer': ['gzip', gzipSync(text).subarray(0, -4)],
  'a brotli that was cut off': ['br', brotliCompressSync(text).subarray(0, -3)],
  'a zstd that was cut off': ['zstd', zstdCompressSync(text).subarray(0, -3)],
  'a deflate that was cut off': ['deflate', deflateSync(text).subarray(0, -6)],
  'a deflate of one byte': ['deflate', Buffer.of(0x78)],
  'plain text that is called gzip': ['gzip', text],
  'three bytes that are called gzip': ['gzip', Buffer.of(0x1f, 0x8b, 8)],
} as const

for (const [name, [encoding, body]] of Object.entries(refused)) {
  test(`${name} is a bad response`, () => {
    assert.throws(() => decodeBody(body, encoding), { code: 'BAD_RESPONSE' })
  })
}

const zeros = Buffer.alloc(60 * 2 ** 20)
const bombs = {
  gzip: gzipSync(zeros),
  br: brotliCompressSync(zeros.subarray(0, 20 * 2 ** 20)),
  zstd: zstdCompressSync(zeros),
  deflate: deflateSync(zeros),
  'gzip, gzip': gzipSync(gzipSync(zeros)),
}

for (const [encoding, body] of Object.entries(bombs)) {
  test(`a decompression bomb in ${encoding} fails with RESPONSE_TOO_LARGE`, () => {
    assert.throws(() => decodeBody(body, encoding), { code: 'RESPONSE_TOO_LARGE' })
  })
}

test('the compression ratio is limited only for bodies beyond one mebibyte', () => {
  const mebibyte = gzipSync(Buffer.alloc(2 ** 20))
  const twoMebibytes = gzipSync(Buffer.alloc(2 ** 21))

  assert.equal(decodeBody(mebibyte, 'gzip').byteLength, 2 ** 20)
  assert.throws(() => decodeBody(twoMebibytes, 'gzip'), { code: 'RESPONSE_TOO_LARGE' })
})

test('a large body with a usual compression ratio is decoded', () => {
  let state = 1
  const large = Buffer.alloc(30 * 2 ** 20).map(() => {
    state = (state * 16_807) % 2_147_483_647
    return state % 8
  })

  assert.equal(decodeBody(gzipSync(large, { level: 1 }), 'gzip').byteLength, large.byteLength)
})
