import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listPages, meanMainText, meanOf, meanStructure, measurePage } from '../quality/corpus.ts'
import { measures } from '../quality/score.ts'

/** Below what `npm run quality` reports, so that a page more or less does not fail the test. */
const meanFloor = 0.97
const pageFloor = 0.8

const results = listPages().map(measurePage)

test('the text of the corpus is its main content in the mean', () => {
  assert.ok((meanMainText(results) ?? 0) >= meanFloor, String(meanMainText(results)))
})

test('the markdown of the corpus keeps its structure in the mean', () => {
  assert.ok((meanStructure(results) ?? 0) >= meanFloor, String(meanStructure(results)))
})

for (const measure of measures) {
  test(`the markdown of the corpus keeps its ${measure} in the mean`, () => {
    assert.ok((meanOf(results, measure) ?? 0) >= meanFloor, String(meanOf(results, measure)))
  })
}

test('no page of the corpus loses its structure or its text', () => {
  for (const result of results) {
    assert.ok((meanStructure([result]) ?? 0) >= pageFloor, result.name)
    assert.ok(result.mainText >= pageFloor, result.name)
  }
})
