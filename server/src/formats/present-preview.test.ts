import assert from 'node:assert/strict'
import { test } from 'node:test'
import { presentPreview } from './present-preview.ts'

const dataOf = (data: object): Buffer => Buffer.from(JSON.stringify(data))

test('of a page that is too long for a person the beginning is shown', () => {
  const data = dataOf({ html: 'a'.repeat(5 * 2 ** 20), markdown: 'cod '.repeat(2 ** 18) })

  const markdown = presentPreview(data, 'markdown').toString()

  assert.equal(presentPreview(data, 'html').length, 4 * 2 ** 20)
  assert.ok(markdown.length < 2 ** 19 + 2_000)
  assert.match(markdown, /The rest is left out/)
})

test('a format that the content does not have is not found', () => {
  assert.throws(() => presentPreview(dataOf({ html: null, markdown: '' }), 'html'), {
    code: 'NOT_FOUND',
  })
  assert.match(
    presentPreview(dataOf({ html: null, markdown: '' }), 'markdown').toString(),
    /<body>/,
  )
})
