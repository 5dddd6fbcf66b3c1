import { randomBytes } from 'node:crypto'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'

/** Decompression bombs: bodies of a few megabytes or less that become gigabytes. */
export const bombs = {
  // Both formats allow concatenated streams, which is the cheap way to 10 GiB.
  gzip: () => repeated(gzipSync(zeros()), 160, gzipSync(noise())),
  zstd: () => repeated(zstdCompressSync(zeros()), 160, zstdCompressSync(noise())),
  br: () => brotliCompressSync(Buffer.concat([noise(), zeros(), zeros(), zeros()]), quickly),
  deflate: () => deflateSync(Buffer.concat([noise(), zeros(), zeros(), zeros()])),
  'gzip, gzip': () => gzipSync(repeated(gzipSync(zeros()), 160, gzipSync(noise()))),
}

/** A page of 49 MiB in one attribute, whose compression ratio is not suspicious. */
export function hugeAttribute(): Buffer {
  const piece = () => randomBytes(1_000).toString('base64') + 'a'.repeat(30_000)
  const pieces = Array.from({ length: Math.floor((49 * 2 ** 20) / piece().length) }, piece)
  return Buffer.from(`<p title="${pieces.join('')}">`)
}

/** 45 MiB, again with a compression ratio that is not suspicious. */
export function manyControlCharacters(): Buffer {
  const piece = () => Buffer.concat([randomBytes(300), Buffer.alloc(30_000, 1)])
  return Buffer.concat(Array.from({ length: 1_550 }, piece))
}

/** Enough incompressible bytes that only the limit of 50 MiB applies, not the ratio. */
const noise = (): Buffer => randomBytes(300_000)
const zeros = (): Buffer => Buffer.alloc(64 * 2 ** 20)
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

const repeated = (piece: Buffer, times: number, first: Buffer): Buffer =>
  Buffer.concat([first, ...Array.from({ length: times }, () => piece)])
