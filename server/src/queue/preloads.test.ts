import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Preloads } from './preloads.ts'

const mebibyte = 2 ** 20

test('what is preloaded is given to the first holder of its entry, once', () => {
  const preloads = new Preloads<string>(() => 1)
  preloads.keep('entry', 'body')

  assert.equal(preloads.take({ id: 'entry', fence: 1 }), 'body')
  assert.equal(preloads.take({ id: 'entry', fence: 1 }), undefined)
})

test('a later holder reads again what an earlier one may have changed', () => {
  const preloads = new Preloads<string>(() => 1)
  preloads.keep('entry', 'body')

  assert.equal(preloads.take({ id: 'entry', fence: 2 }), undefined)
})

test('what may change while it waits is not kept', () => {
  const preloads = new Preloads<string>(() => undefined)
  preloads.keep('entry', 'body')

  assert.equal(preloads.take({ id: 'entry', fence: 1 }), undefined)
})

test('when the memory is full the oldest are kept, since they are claimed next', () => {
  const preloads = new Preloads<number>((mebibytes) => mebibytes * mebibyte)
  preloads.keep('first', 20)
  preloads.keep('second', 20)
  const first = preloads.take({ id: 'first', fence: 1 })
  preloads.keep('third', 20)

  assert.equal(first, 20)
  assert.equal(preloads.take({ id: 'second', fence: 1 }), undefined)
  assert.equal(preloads.take({ id: 'third', fence: 1 }), 20)
})
