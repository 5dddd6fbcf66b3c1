import { inflateSync } from 'node:zlib'

/** Pixels as they are in the file: three bytes each, or four with alpha. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly hasAlpha: boolean
  row(y: number): Buffer
  at(x: number, y: number): number[]
}

const samplesByColorType: Record<number, number> = { 2: 3, 6: 4 }

/** As much of the format as Chromium writes: eight bits, RGB or RGBA, not interlaced. */
export function decodePng(bytes: Uint8Array): Pixels {
  const file = Buffer.from(bytes)
  const width = file.readUInt32BE(16)
  const height = file.readUInt32BE(20)
  const samples = samplesByColorType[file.readUInt8(25)]
  if (file.readUInt8(24) !== 8 || !samples) throw new Error('This PNG is of an unexpected kind.')
  const rowBytes = width * samples
  const filtered = inflateSync(Buffer.concat([...dataOf(file)]))
  const pixels = Buffer.alloc(rowBytes * height)
  for (let y = 0; y < height; y += 1) {
    const from = y * (rowBytes + 1)
    filtered.copy(pixels, y * rowBytes, from + 1, from + 1 + rowBytes)
    unfilter(pixels, { filter: filtered[from] ?? 0, y, rowBytes, samples })
  }
  const row = (y: number) => pixels.subarray(y * rowBytes, (y + 1) * rowBytes)
  return {
    width,
    height,
    hasAlpha: samples === 4,
    row,
    at: (x, y) => [...row(y).subarray(x * samples, (x + 1) * samples)],
  }
}

function* dataOf(file: Buffer): Generator<Buffer> {
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at)
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') {
      yield file.subarray(at + 8, at + 8 + length)
    }
    at += length + 12
  }
}

interface Row {
  filter: number
  y: number
  rowBytes: number
  samples: number
}

/** Each byte was written as its difference from what its neighbours to the left and above foretell. */
function unfilter(pixels: Buffer, { filter, y, rowBytes, samples }: Row): void {
  const from = y * rowBytes
  const to = from + rowBytes
  // The simple ones by themselves: images have a hundred million bytes.
  if (filter === filters.left) {
    for (let at = from + samples; at < to; at += 1) {
      pixels[at] = (pixels[at] as number) + (pixels[at - samples] as number)
    }
  } else if (filter === filters.above && y > 0) {
    for (let at = from; at < to; at += 1) {
      pixels[at] = (pixels[at] as number) + (pixels[at - rowBytes] as number)
    }
  } else if (filter === filters.average || filter === filters.nearest) {
    for (let at = from; at < to; at += 1) {
      const isFirst = at < from + samples
      const left = isFirst ? 0 : (pixels[at - samples] as number)
      const above = y === 0 ? 0 : (pixels[at - rowBytes] as number)
      const both = isFirst || y === 0 ? 0 : (pixels[at - rowBytes - samples] as number)
      const foretold = filter === filters.average ? (left + above) >> 1 : nearest(left, above, both)
      pixels[at] = (pixels[at] as number) + foretold
    }
  }
}

const filters = { none: 0, left: 1, above: 2, average: 3, nearest: 4 }

function nearest(left: number, above: number, both: number): number {
  const toLeft = Math.abs(above - both)
  const toAbove = Math.abs(left - both)
  const toBoth = Math.abs(left + above - 2 * both)
  if (toLeft <= toAbove && toLeft <= toBoth) return left
  return toAbove <= toBoth ? above : both
}
