import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { ExtractRules } from '../../domain/scrape/extract-rules.ts'
import { parsePage } from '../dom/page-document.ts'
import { applyRules } from './apply-rules.ts'
import { createWorkBudget } from './work-budget.ts'

const url = 'https://shop.test/list/'
const extract = (html: string, rules: object, budget = createWorkBudget()) =>
  applyRules(parsePage(html, url), ExtractRules.parse(rules), budget)
const extractOne = (html: string, rule: unknown) => extract(html, { it: rule })['it']

const cases: [name: string, html: string, rule: unknown, result: unknown][] = [
  ['text is on one line', '<h1> A\n <b>b</b>  c </h1>', 'h1', 'A b c'],
  ['blocks do not run together', '<div><p>a</p><p>b</p>c<br>d</div>', 'div', 'a b c d'],
  ['words across inline elements stay whole', '<p>wo<b>rd</b></p>', 'p', 'word'],
  ['scripts and styles are no text', '<p>a<script>x</script><style>y</style>b</p>', 'p', 'ab'],
  [
    'a script that is the match itself gives its text',
    '<script id=d>{"a": 1}</script>',
    '#d',
    '{"a": 1}',
  ],
  ['the first match counts', '<p>a</p><p>b</p>', 'p', 'a'],
  ['no match is null', '<p>a</p>', 'h1', null],
  ['no match of a list is empty', '<p>a</p>', { selector: 'h1', type: 'list' }, []],
  ['all matches are a list', '<p>a</p><p>b</p>', { selector: 'p', type: 'list' }, ['a', 'b']],
  ['an attribute of CSS', '<a data-id=7>x</a>', 'a@data-id', '7'],
  ['an attribute as output', '<a data-id=7>x</a>', { selector: 'a', output: '@data-id' }, '7'],
  ['an attribute of XPath', '<a data-id=7>x</a>', '//a/@data-id', '7'],
  [
    'the attribute of the first element that has it',
    '<a>x</a><a href="/y">y</a>',
    'a@href',
    'https://shop.test/y',
  ],
  ['a missing attribute is no match', '<a>x</a>', { selector: 'a@href', type: 'list' }, []],
  ['URLs are absolute', '<img src="a b.png">', 'img@src', 'https://shop.test/list/a%20b.png'],
  ['other schemes are kept', '<a href="mailto:a@b.test">x</a>', 'a@href', 'mailto:a@b.test'],
  ['what is no URL is kept', '<a href="https://[">x</a>', 'a@href', 'https://['],
  [
    'each URL of a srcset is absolute',
    '<img srcset="a.png 1x,/b,c.png 2x , d.png">',
    'img@srcset',
    'https://shop.test/list/a.png 1x, https://shop.test/b,c.png 2x, https://shop.test/list/d.png',
  ],
  [
    'HTML is as the document has it',
    '<p class=x>a<b>b</b>',
    { selector: 'p', output: 'html' },
    '<p class="x">a<b>b</b></p>',
  ],
  ['an XPath may give a number', '<p>a</p><p>b</p>', '(count(//p))', 2],
  ['an XPath may give a boolean', '<p>a</p>', '(//p = "a")', true],
  ['an XPath may give text', '<p>a b</p>', '(substring-after(//p, " "))', 'b'],
  ['a number that JSON lacks is null', '<p>a</p>', '(number(//p))', null],
  [
    'the text nodes of an XPath',
    '<p>a<b>x</b>b</p>',
    { selector: '//p/text()', type: 'list' },
    ['a', 'b'],
  ],
  [
    'inner rules are relative to the match',
    '<ul><li><a href=/1>one</a><i>1</i><li><a href=/2>two</a></ul><i>out</i>',
    {
      selector: 'li',
      type: 'list',
      output: { name: 'a', link: './a/@href', price: 'i', all: { selector: '//i', type: 'list' } },
    },
    [
      { name: 'one', link: 'https://shop.test/1', price: '1', all: ['1'] },
      { name: 'two', link: 'https://shop.test/2', price: null, all: [] },
    ],
  ],
  [
    'an inner rule names an attribute of the match',
    '<a href=/1 id=x>',
    { selector: 'a', output: { link: '@href', id: '@id' } },
    { link: 'https://shop.test/1', id: 'x' },
  ],
  [
    'all parts of an inner CSS selector lie inside the match',
    '<div><p><b>x</b></p></div>',
    { selector: 'p', output: { a: 'div b', b: '> b' } },
    { a: null, b: 'x' },
  ],
  [
    'an inner XPath can leave the match',
    '<div id=x><p>a</p></div>',
    { selector: 'p', output: { id: './ancestor::div/@id' } },
    { id: 'x' },
  ],
  [
    'without a match there are no inner results',
    '<p>a</p>',
    { selector: 'h1', output: { a: 'b' } },
    null,
  ],
  [
    'a table with a header is a list of objects',
    '<table><tr><th>Name<th>Price<tr><td>A<td>1<tr><td>B<td></table>',
    { selector: 'table', output: 'table' },
    [
      { Name: 'A', Price: '1' },
      { Name: 'B', Price: '' },
    ],
  ],
  [
    'a table without a header is a list of lists',
    '<table><tr><td>A<td>1<tr><th>B<td>2</table>',
    { selector: 'table', output: 'table' },
    [
      ['A', '1'],
      ['B', '2'],
    ],
  ],
  [
    'cells that span are repeated, and header rows are joined',
    '<table><thead><tr><th rowspan=2>Who<th colspan=2>Sales<tr><th>Q1<th>Q2</thead><tr><td rowspan=2>A<td>1<td>2<tr><td colspan=2>3</table>',
    { selector: 'table', output: 'table' },
    [
      { Who: 'A', 'Sales Q1': '1', 'Sales Q2': '2' },
      { Who: 'A', 'Sales Q1': '3', 'Sales Q2': '3' },
    ],
  ],
  [
    'columns without a name or with the same name get their number',
    '<table><tr><th><th>X<th>X<tr><td>1<td>2<td>3</table>',
    { selector: 'table', output: 'table' },
    [{ 'column 1': '1', X: '2', 'X (3)': '3' }],
  ],
  [
    'the table may lie inside the match, and tables in its cells are text',
    '<div><table><tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y</table></table></div>',
    { selector: 'div', output: 'table' },
    [{ A: '1', B: 'x y' }],
  ],
  ['a match without a table is an empty table', '<p>x</p>', { selector: 'p', output: 'table' }, []],
]

for (const [name, html, rule, result] of cases) {
  test(`rules: ${name}`, () => {
    assert.deepEqual(extractOne(html, rule), result)
  })
}

test('URLs refer to the base of the page', () => {
  assert.equal(extractOne('<base href="/b/"><a href="x">x</a>', 'a@href'), 'https://shop.test/b/x')
})

test('a rule named __proto__ is data', () => {
  const results = extract('<p>x</p>', JSON.parse('{"__proto__": "p", "a": "p"}'))

  assert.equal(Object.getPrototypeOf(results), Object.prototype)
})

test('the examples of the documentation give what it says', () => {
  const text = readFileSync(new URL('../../../../docs/extract-rules.md', import.meta.url), 'utf8')
  const [, html = ''] = /```html\n(.*?)```/s.exec(text) ?? []
  const examples = [...text.matchAll(/```json\n(.*?)```\n\n```json\n(.*?)```/gs)]

  assert.ok(examples.length >= 3)
  for (const [, rules = '', results = ''] of examples) {
    assert.deepEqual(extract(html, JSON.parse(rules)), JSON.parse(results))
  }
})

const rows = '<div class="x"><p>a <b>b</b></p></div>'.repeat(2_000)
const slow: [name: string, html: string, rule: unknown][] = [
  [':has with siblings', '<i></i>'.repeat(5_000), 'i:has(~ b)'],
  [
    ':has with the next sibling',
    '<i></i>'.repeat(1_000),
    { selector: ':not(:has(+ b))', type: 'list' },
  ],
  ['counting all nodes for each', '<i></i>'.repeat(1_000), '//*[count(//*) > 5]'],
  ['the text of the page for each', '<i>x</i>'.repeat(1_000), '//*[string(/) = "no"]'],
  [
    'text of nested elements',
    '<div>'.repeat(1_000) + '<i></i>'.repeat(5_000),
    '//div[contains(., "no")]',
  ],
  ['following axes', rows, '//*[following::*[following::*[. = "no"]]]'],
  ['comparing two sets', rows, '(//p = //nothing or //*[//p = //b])'],
]

for (const [name, html, rule] of slow) {
  test(`rules that take quadratic time are ended by the budget: ${name}`, () => {
    const budget = createWorkBudget({ stepsMax: 1_000_000, charactersMax: 1_000 })

    assert.throws(() => extract(`<body>${html}`, { it: rule }, budget), {
      code: 'CONTENT_TOO_COMPLEX',
    })
  })
}

test('siblings are listed once, whatever lies between them', () => {
  const budget = createWorkBudget({ stepsMax: 500_000, charactersMax: 100_000 })

  const { it } = extract(rows, { it: { selector: 'div ~ div', type: 'list' } }, budget)

  assert.equal((it as string[]).length, 1_999)
})

test('results that would outgrow the page many times are refused', () => {
  const html = `${'<div>'.repeat(1_000)}${'x'.repeat(100_000)}`

  assert.throws(() => extractOne(html, { selector: 'div', type: 'list', output: 'html' }), {
    code: 'RESPONSE_TOO_LARGE',
  })
})

test('a table that spans to millions of cells is limited', () => {
  const cell = '<td colspan=1000 rowspan=65534>x'
  const html = `<table>${`<tr>${cell.repeat(5)}`.repeat(1_000)}</table>`

  const table = extractOne(html, { selector: 'table', output: 'table' }) as unknown[][]

  assert.ok(table.flat().length <= 100_000)
})

test('a list of rules is limited to 10,000 items', () => {
  const list = extractOne('<i></i>'.repeat(20_000), { selector: 'i', type: 'list' })

  assert.equal((list as unknown[]).length, 10_000)
})
