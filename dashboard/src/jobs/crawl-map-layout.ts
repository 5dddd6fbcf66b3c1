import type { Job } from '@trawl/sdk'
import type { PageNode } from './page-tree.ts'

interface Point {
  x: number
  y: number
}

interface MapDot extends Point {
  status: Job['status']
}

/** From a page to one that was found on it, with the two points that bend it. */
export type MapLine = readonly [from: Point, bend: Point, otherBend: Point, to: Point]

const dotRadii = { largest: 5, smallest: 0.8 }

/** The first page in the middle, those of each depth on a ring around it, below one another by sectors. */
export function layOutCrawlMap(roots: readonly PageNode[], radius: number) {
  const ringCount = Math.max(...roots.map(heightOf), 1) - 1
  const hasCentre = roots.length === 1
  // Several roots have no place in the middle: they are the first ring.
  const steps = hasCentre ? ringCount : ringCount + 1
  const stepPx = steps === 0 ? 0 : radius / steps
  const dots: MapDot[] = []
  const lines: MapLine[] = []

  place(roots, { level: hasCentre ? 0 : 1, fromTurn: 0, toTurn: 1 }, undefined)
  return {
    dots,
    lines,
    /** The radius of each depth after the first. */
    rings: Array.from({ length: steps }, (_, index) => (index + 1) * stepPx),
    /** Half the width of a dot, so that neighbours do not cover each other. */
    dotRadius: chooseDotRadius(leavesIn(roots), radius),
  }

  function place(nodes: readonly PageNode[], sector: Sector, parent: Place | undefined): void {
    const turns = (sector.toTurn - sector.fromTurn) / leavesIn(nodes)
    let fromTurn = sector.fromTurn
    for (const node of nodes) {
      const toTurn = fromTurn + turns * leavesIn([node])
      const at = { level: sector.level, turn: (fromTurn + toTurn) / 2 }
      dots.push({ ...pointAt(at.level * stepPx, at.turn), status: node.page.status })
      if (parent) lines.push(lineBetween(parent, at, stepPx))
      place(node.children, { level: sector.level + 1, fromTurn, toTurn }, at)
      fromTurn = toTurn
    }
  }
}

/** A part of the circle, in turns of it. */
interface Sector {
  level: number
  fromTurn: number
  toTurn: number
}

interface Place {
  level: number
  turn: number
}

function lineBetween(parent: Place, child: Place, stepPx: number): MapLine {
  const middle = ((parent.level + child.level) / 2) * stepPx
  // From the middle of the picture every direction is the parent's own.
  const turn = parent.level === 0 ? child.turn : parent.turn
  return [
    pointAt(parent.level * stepPx, parent.turn),
    pointAt(middle, turn),
    pointAt(middle, child.turn),
    pointAt(child.level * stepPx, child.turn),
  ]
}

/** The first page of a ring is at the top. */
const pointAt = (radius: number, turn: number): Point => ({
  x: rounded(radius * Math.sin(turn * 2 * Math.PI)),
  y: rounded(-radius * Math.cos(turn * 2 * Math.PI)),
})

const rounded = (value: number): number => Math.round(value * 10) / 10

/** A tree is at most as high as a crawl is deep, so recursion is short. */
const heightOf = ({ children }: PageNode): number => 1 + Math.max(0, ...children.map(heightOf))

const leavesIn = (nodes: readonly PageNode[]): number =>
  nodes.reduce((sum, { children }) => sum + Math.max(1, leavesIn(children)), 0)

function chooseDotRadius(leafCount: number, radius: number): number {
  const roomPx = (2 * Math.PI * radius) / Math.max(leafCount, 1)
  return Math.min(dotRadii.largest, Math.max(dotRadii.smallest, roomPx * 0.4))
}
