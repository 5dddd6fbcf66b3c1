import assert from 'node:assert/strict'
import type { Pixels } from './decode-png.ts'

const stripePx = 100

/** No two stripes of a page are alike, so that what is repeated, shifted or left out shows. */
const colorOf = (index: number): [number, number, number] => [index % 256, index >> 8, 200]

export function stripedPage({ height }: { height: number }): string {
  const stripes = Array.from({ length: height / stripePx }, (_, index) => {
    return `<div style="background:rgb(${colorOf(index)})"></div>`
  })
  return `<!doctype html><style>* { margin: 0 } div { height: ${stripePx}px }</style>${stripes.join('')}`
}

/** Looks at every pixel. */
export function assertStriped(pixels: Pixels, { scale = 1 }: { scale?: number } = {}): void {
  for (let y = 0; y < pixels.height; y += 1) {
    const color = [...colorOf(Math.floor(y / scale / stripePx)), ...(pixels.hasAlpha ? [255] : [])]
    const meant = Buffer.alloc(pixels.width * color.length, Buffer.from(color))
    assert.ok(meant.equals(pixels.row(y)), `row ${y} begins with ${pixels.at(0, y)}, not ${color}`)
  }
}

/** Where an image of the page is looked at, and what is there. */
export const middlesOfStripes = (heightPx: number): { y: number; color: number[] }[] =>
  Array.from({ length: Math.floor(heightPx / stripePx) }, (_, index) => ({
    y: index * stripePx + stripePx / 2,
    color: colorOf(index),
  }))
