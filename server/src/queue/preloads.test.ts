import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Preloads } from './preloads.ts'

const mebibyte = 2 ** 20

test('the first lease of an entry gets its preloaded value, once', () => {
  const preloads = new Preloads<string>(() => 1)
  preloads.keep('entry', 'body')

  assert.equal(preloads.take({ id: 'entry', fence: 1 }), 'body')
  assert.equal(preloads.take({ id: 'entry', fence: 1 }), undefined)
})

test('a later lease of an entry gets no preloaded value', () => {
  const preloads = new Preloads<string>(() => 1)
  preloads.keep('entry', 'body')

  assert.equal(preloads.take({ id: 'entry', fence: 2 }), undefined)
})

test('a value without a size is not kept', () => {
  const preloads = new Preloads<string>(() => undefined)
  preloads.keep('entry', 'body')

  assert.equal(preloads.take({ id: 'entry', fence: 1 }), undefined)
})

test('a full cache keeps the oldest values, which are claimed next', () => {
  const preloads = new Preloads<number>((mebibytes) => mebibytes * mebibyte)
  preloads.keep('first', 20)
  preloads.keep('second', 20)
  const first = preloads.take({ id: 'first', fence: 1 })
  preloads.keep('third', 20)

  assert.equal(first, 20)
  assert.equal(preloads.take({ id: 'second', fence: 1 }), undefined)
  assert.equal(preloads.take({ id: 'third', fence: 1 }), 20)
})
