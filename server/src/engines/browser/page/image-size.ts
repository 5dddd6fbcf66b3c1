import type { ImageType } from '../../../domain/scrape/page.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Reads an image's size from its header; undefined if the bytes are no image of this type. */
export function imageSize(type: ImageType, bytes: Uint8Array): Size | undefined {
  try {
    return readers[type](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    if (error instanceof RangeError) return undefined // the header is cut off
    throw error
  }
}

const readers: Record<ImageType, (bytes: Buffer) => Size | undefined> = {
  png: pngSize,
  jpeg: jpegSize,
  webp: webpSize,
}

const pngSignature = '89504e470d0a1a0a'

function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.toString('hex', 0, 8) !== pngSignature) return undefined
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Walks the segments up to the frame header, which has the size. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; ; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at)
    if (frameMarkers.has(marker)) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    }
    if (marker < 0xffc0) return undefined
  }
}

/** Start of frame: baseline, extended and progressive. */
const frameMarkers = new Set([0xffc0, 0xffc1, 0xffc2])

function webpSize(bytes: Buffer): Size | undefined {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined
  switch (bytes.toString('latin1', 8, 16)) {
    case 'WEBPVP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'WEBPVP8L': {
      const sides = bytes.readUInt32LE(21)
      return { width: (sides & 0x3fff) + 1, height: ((sides >> 14) & 0x3fff) + 1 }
    }
    case 'WEBPVP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}
