import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageOutput, sliceOfText } from './cut-page.ts'

const whole = 'cod 🐟 größer 日本'

test('parts that follow each other are the whole text, and none ends within a character', () => {
  for (const max_length of [2, 3, 5]) {
    let read = ''
    while (read.length < whole.length) {
      const { text, totalLength } = sliceOfText(whole, { offset: read.length, max_length })
      assert.ok(text.isWellFormed())
      assert.equal(totalLength, whole.length)
      read += text
    }
    assert.equal(read, whole)
  }
})

test('the output of a page is its only text, or else all of its data as JSON', () => {
  const metadata = { http_status: 200 }
  const html = '<p>cod</p>'

  assert.deepEqual(pageOutput({ data: { html, markdown: null }, metadata }), {
    whole: html,
    facts: { metadata, output: 'html' },
  })
  const both = { html, links: ['http://a.example/'] }
  assert.deepEqual(pageOutput({ data: both, metadata }), {
    whole: JSON.stringify(both),
    facts: { metadata, output: 'json' },
  })
  assert.deepEqual(pageOutput({ data: null, status: 'queued' }), {
    whole: '',
    facts: { status: 'queued' },
  })
})
