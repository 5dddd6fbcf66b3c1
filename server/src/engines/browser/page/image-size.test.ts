import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageType } from '../../../domain/scrape/page.ts'
import { imageSize } from './image-size.ts'

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))),
  )

const png = bytes(
  [0x89],
  'PNG\r\n',
  [0x1a],
  '\n',
  [0, 0, 0, 13],
  'IHDR',
  [0, 0, 5, 0, 0, 1, 0x86, 0xa0],
)
const jfif = [0xff, 0xe0, 0, 4, 1, 1]
const jpeg = bytes([0xff, 0xd8], jfif, [0xff, 0xc2, 0, 17, 8, 0xff, 0xdc, 5, 0])
const webp = (chunk: string, ...rest: number[]) =>
  bytes('RIFF', [0, 0, 0, 0], 'WEBP', chunk, [0, 0, 0, 0], rest)

const images: [name: string, type: ImageType, bytes: Buffer, width: number, height: number][] = [
  ['PNG', 'png', png, 1_280, 100_000],
  ['JPEG', 'jpeg', jpeg, 1_280, 65_500],
  ['extended WebP', 'webp', webp('VP8X', 16, 0, 0, 0, 0xff, 4, 0, 0xfe, 0x3f, 0), 1_280, 16_383],
  ['lossless WebP', 'webp', webp('VP8L', 0x2f, 0xff, 0xc4, 0xc7, 0), 1_280, 800],
  ['lossy WebP', 'webp', webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, 0, 5, 0x20, 3), 1_280, 800],
]

for (const [name, type, image, width, height] of images) {
  test(`the size of a ${name} is read from its header`, () => {
    assert.deepEqual(imageSize(type, image), { width, height })
  })

  test(`no size is read from a ${name} that is cut off or of another type`, () => {
    for (let length = 0; length < image.length; length += 1) {
      assert.equal(imageSize(type, image.subarray(0, length)), undefined, `${length} bytes`)
    }
    assert.equal(imageSize(type, Buffer.alloc(100)), undefined)
    assert.equal(imageSize(type === 'png' ? 'jpeg' : 'png', image), undefined)
  })
}
