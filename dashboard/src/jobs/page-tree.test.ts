import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OutlinedPage } from './job-queries.ts'
import { buildPageTree, countDepths, originOf, type PageNode, shortUrl } from './page-tree.ts'

const page = (url: string, parent_url: string | null, depth: number): OutlinedPage => ({
  task_id: url,
  url,
  parent_url,
  depth,
  status: 'completed',
  error_code: null,
})

const drawn = (nodes: readonly PageNode[]): unknown[] =>
  nodes.map((node) => [node.page.url, ...drawn(node.children)])

test('a page is below the one that it was found on, in the order of the crawl', () => {
  const tree = buildPageTree([
    page('/', null, 1),
    page('/a', '/', 2),
    page('/b', '/', 2),
    page('/b/c', '/b', 3),
    page('/a/d', '/a', 3),
  ])

  assert.deepEqual(drawn(tree), [['/', ['/a', ['/a/d']], ['/b', ['/b/c']]]])
})

test('a page says how many below it have failed, also while they are not shown', () => {
  const [root] = buildPageTree([
    page('/', null, 1),
    page('/a', '/', 2),
    { ...page('/b', '/', 2), status: 'failed' },
    { ...page('/a/c', '/a', 3), status: 'failed' },
  ])

  assert.deepEqual(
    [root, ...(root?.children ?? [])].map((node) => node?.failedBelow),
    [2, 1, 0],
  )
})

test('a page whose parent is missing is a root, and no page is below itself or a later one', () => {
  const tree = buildPageTree([
    page('/', null, 1),
    page('/self', '/self', 2),
    page('/x', '/y', 2),
    page('/y', '/x', 2),
  ])

  assert.deepEqual(drawn(tree), [['/'], ['/self'], ['/x', ['/y']]])
})

test('URLs of the site are shown without its origin, and others whole', () => {
  const origin = originOf('https://example.com/start?x=1')

  assert.equal(shortUrl('https://example.com/a?b', origin), '/a?b')
  assert.equal(
    shortUrl('https://example.com.evil.test/a', origin),
    'https://example.com.evil.test/a',
  )
  assert.equal(originOf('no URL'), 'no URL')
})

test('pages are counted by depth and state', () => {
  const page = (depth: number, status: OutlinedPage['status']): OutlinedPage => ({
    task_id: '',
    url: '',
    parent_url: null,
    depth,
    status,
    error_code: null,
  })

  const depths = countDepths([page(1, 'completed'), page(2, 'failed'), page(2, 'queued')])

  assert.deepEqual(
    depths.map(({ depth, total, byState }) => [depth, total, byState.failed, byState.queued]),
    [
      [1, 1, 0, 0],
      [2, 2, 1, 1],
    ],
  )
})
