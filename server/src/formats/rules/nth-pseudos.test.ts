import assert from 'node:assert/strict'
import test from 'node:test'
import { parsePage } from '../dom/page-document.ts'
import { selectCss } from './select-css.ts'
import { createWorkBudget } from './work-budget.ts'

const select = (html: string, css: string, budget = createWorkBudget()) => {
  const { document } = parsePage(`<!doctype html>${html}`, 'https://page.test/')
  return selectCss(css, document, true, budget).map((element) => element.textContent)
}

const list = `<div>${[1, 2, 3, 4, 5, 6].map((number) => `<i>${number}</i>x`).join('')}<b>7</b></div>`

const cases: [css: string, found: string[]][] = [
  ['i:nth-child(2)', ['2']],
  ['i:nth-child(odd)', ['1', '3', '5']],
  ['i:nth-child(EVEN)', ['2', '4', '6']],
  ['i:nth-child(3n + 1)', ['1', '4']],
  ['i:nth-child(n+5)', ['5', '6']],
  ['i:nth-child(-n+2)', ['1', '2']],
  ['i:nth-child(-2n + 5)', ['1', '3', '5']],
  ['i:nth-child(+n)', ['1', '2', '3', '4', '5', '6']],
  ['i:nth-child(0)', []],
  ['i:nth-last-child(2)', ['6']],
  ['b:nth-last-child(1)', ['7']],
  ['i:nth-of-type(2n)', ['2', '4', '6']],
  ['b:nth-of-type(1)', ['7']],
  ['i:nth-last-of-type(1)', ['6']],
  ['html:nth-child(1) b', ['7']],
]

for (const [css, found] of cases) {
  test(`CSS: ${css}`, () => {
    assert.deepEqual(select(list, css), found)
  })
}

test('counting the siblings of 20,000 elements takes linear time', () => {
  const budget = createWorkBudget({ stepsMax: 500_000, charactersMax: 1 })

  const found = select('<i></i>'.repeat(20_000), 'i:nth-child(2n):nth-last-child(odd)', budget)

  assert.equal(found.length, 10_000)
})
