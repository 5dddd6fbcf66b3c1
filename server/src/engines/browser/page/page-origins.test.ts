import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageOrigins } from './page-origins.ts'

const here = 'https://here.test'
const there = 'https://there.test'
const beyond = 'https://beyond.test'

function follow(steps: (origins: PageOrigins) => void): string[] {
  const origins = new PageOrigins(here)
  steps(origins)
  return [...origins.all]
}

test('a page on its way is of both origins, and of one from the answer on', () => {
  const own = new PageOrigins(here)

  own.goTo('1', there)
  assert.deepEqual([...own.all], [here, there])
  own.answer('1', there)
  assert.deepEqual([...own.all], [there])
  own.show('1', there)
  assert.deepEqual([...own.all], [there])
})

test('of a redirect only the last origin is left', () => {
  const redirected = follow((own) => {
    own.goTo('1', there)
    own.goTo('1', beyond)
    own.answer('1', beyond)
  })

  assert.deepEqual(redirected, [beyond])
})

test('a page that gives up where it was going is still of its own origin', () => {
  const stays = follow((own) => {
    own.goTo('1', there)
    own.answer('1', there)
    own.giveUp('1')
  })

  assert.deepEqual(stays, [here])
})

test('what was on its way before the document that is shown will not come', () => {
  const shown = follow((own) => {
    own.goTo('1', there)
    own.goTo('2', beyond)
    own.show('2', beyond)
  })

  assert.deepEqual(shown, [beyond])
})

test('what set out while another document was being shown may still come', () => {
  const shown = follow((own) => {
    own.goTo('1', there)
    own.goTo('2', beyond)
    own.show('1', there)
  })

  assert.deepEqual(shown, [there, beyond])
})
