import assert from 'node:assert/strict'
import test from 'node:test'
import {
  isRobotsMeta,
  metaForbidsFollowing,
  robotsTagsForbidFollowing,
} from './robots-directives.ts'

test('the metas for all robots and for us hold directives, those for others do not', () => {
  assert.deepEqual(['robots', ' Robots ', 'TRAWL', 'googlebot', 'trawler', ''].map(isRobotsMeta), [
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('a meta forbids following with nofollow and with none', () => {
  assert.deepEqual(
    ['nofollow', 'NoIndex, NOFOLLOW', 'none', 'noindex nofollow', ' nofollow '].map(
      metaForbidsFollowing,
    ),
    [true, true, true, true, true],
  )
  assert.deepEqual(
    ['', 'all', 'noindex', 'follow', 'nofollowing', 'max-image-preview:none'].map(
      metaForbidsFollowing,
    ),
    [false, false, false, false, false, false],
  )
})

const tags: [values: string[], isForbidden: boolean][] = [
  [[], false],
  [['noindex'], false],
  [['nofollow'], true],
  [['None'], true],
  [['noindex, nofollow'], true],
  [['noindex', 'nofollow'], true],
  [['trawl: nofollow'], true],
  [['Trawl:noindex, none'], true],
  [['*: nofollow'], true],
  [['other: nofollow'], false],
  [['other: noindex, nofollow'], false],
  [['other: noindex, trawl: nofollow'], true],
  [['other: noindex', 'nofollow'], true],
  [['max-image-preview: none'], false],
  [['unavailable_after: 25 Jun 2030 15:00:00 GMT, nofollow'], true],
  [['unavailable_after: nofollow'], false],
  [['nofollowing'], false],
  [[`${'x,'.repeat(5_000_000)}`], false],
]

for (const [values, isForbidden] of tags) {
  const shown = values.join(' | ').slice(0, 60)
  test(`X-Robots-Tag "${shown}" ${isForbidden ? 'forbids' : 'allows'} to follow links`, () => {
    assert.equal(robotsTagsForbidFollowing(values), isForbidden)
  })
}
