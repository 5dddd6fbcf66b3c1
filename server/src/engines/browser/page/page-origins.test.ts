import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageOrigins } from './page-origins.ts'

const first = 'https://first.test'
const second = 'https://second.test'
const third = 'https://third.test'

function follow(steps: (origins: PageOrigins) => void): string[] {
  const origins = new PageOrigins(first)
  steps(origins)
  return [...origins.all]
}

test('during a navigation both origins are own, and from the response on only the new one', () => {
  const origins = new PageOrigins(first)

  origins.startNavigation('1', second)
  assert.deepEqual([...origins.all], [first, second])
  origins.receiveResponse('1', second)
  assert.deepEqual([...origins.all], [second])
  origins.commit('1', second)
  assert.deepEqual([...origins.all], [second])
})

test('after a redirect only the last origin is own', () => {
  const redirected = follow((origins) => {
    origins.startNavigation('1', second)
    origins.startNavigation('1', third)
    origins.receiveResponse('1', third)
  })

  assert.deepEqual(redirected, [third])
})

test('a cancelled navigation leaves the page with its previous origin', () => {
  const stays = follow((origins) => {
    origins.startNavigation('1', second)
    origins.receiveResponse('1', second)
    origins.cancel('1')
  })

  assert.deepEqual(stays, [first])
})

test('a committed document replaces navigations that started before it', () => {
  const committed = follow((origins) => {
    origins.startNavigation('1', second)
    origins.startNavigation('2', third)
    origins.commit('2', third)
  })

  assert.deepEqual(committed, [third])
})

test('a navigation that started after the committed document is still pending', () => {
  const committed = follow((origins) => {
    origins.startNavigation('1', second)
    origins.startNavigation('2', third)
    origins.commit('1', second)
  })

  assert.deepEqual(committed, [second, third])
})
