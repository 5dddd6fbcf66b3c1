import assert from 'node:assert/strict'
import { test } from 'node:test'
import { layOutCrawlMap } from './crawl-map-layout.ts'
import type { PageNode } from './page-tree.ts'

const node = (...children: PageNode[]): PageNode => ({
  page: { task_id: '', url: '', parent_url: null, depth: 1, status: 'completed', error_code: null },
  children,
  failedBelow: 0,
})
const distance = ({ x, y }: { x: number; y: number }) => Math.round(Math.hypot(x, y))

test('the first page is in the middle and each depth on a ring of its own', () => {
  const { dots, rings, lines } = layOutCrawlMap([node(node(node()), node())], 100)

  assert.deepEqual(dots.map(distance), [0, 50, 100, 50])
  assert.deepEqual(rings, [50, 100])
  assert.equal(lines.length, 3)
})

test('a page gets as much of the circle as it has pages below', () => {
  const [, first, , , , last] = layOutCrawlMap(
    [node(node(node(), node(), node()), node())],
    100,
  ).dots

  // Three quarters of a turn begin at the top: their middle is at three eighths, and the rest at seven eighths.
  assert.ok(first && first.x > 0 && first.y > 0)
  assert.ok(last && last.x < 0 && last.y < 0)
})

test('a page is below its parent: lines begin and end at dots', () => {
  const { dots, lines } = layOutCrawlMap([node(node(node(), node()), node())], 100)
  const places = new Set(dots.map(({ x, y }) => `${x} ${y}`))

  for (const line of lines) {
    for (const { x, y } of [line[0], line[3]]) assert.ok(places.has(`${x} ${y}`), `${x} ${y}`)
  }
})

test('several roots share the first ring, and one page alone is a dot', () => {
  assert.deepEqual(layOutCrawlMap([node(), node()], 100).dots.map(distance), [100, 100])
  const { dots, rings, lines } = layOutCrawlMap([node()], 100)
  assert.deepEqual([dots.map(distance), rings, lines], [[0], [], []])
})

test('thousands of pages have smaller dots, all within the picture', () => {
  const wide = layOutCrawlMap([node(...Array.from({ length: 2_000 }, () => node()))], 180)
  const narrow = layOutCrawlMap([node(node(), node())], 180)

  assert.ok(wide.dotRadius < narrow.dotRadius)
  assert.ok(wide.dots.every((dot) => distance(dot) <= 180))
})
