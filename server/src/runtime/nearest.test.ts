import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

const known = ['screenshot', 'retries', 'viewport', 'js_render']

test('the nearest word is the one with the smallest edit distance', () => {
  assert.equal(nearest('screen_shot', known), 'screenshot')
  assert.equal(nearest('retires', known), 'retries')
  assert.equal(nearest('jsRender', known), 'js_render')
})

test('a word far from all known words has no nearest word', () => {
  assert.equal(nearest('banana', known), undefined)
  assert.equal(nearest('x', []), undefined)
})
