import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { parseXPath } from '../../domain/scrape/xpath/parse-xpath.ts'
import { nodesIn, nodeTypes } from '../dom/dom.ts'
import { parsePage } from '../dom/page-document.ts'
import { evaluateXPath } from './evaluate-xpath.ts'
import { selectCss } from './select-css.ts'
import { createWorkBudget } from './work-budget.ts'
import { isXPathAttribute, XPathDocument } from './xpath-node.ts'

const html = `<!doctype html><html lang="en"><body><div class="a" id="one"><p>1<b>x</b></p><!--c--><P>2</P></div>
<div class="b"><p>3</p><ul><li>4<li>5<li lang="de-AT">6</ul></div><svg><linearGradient/></svg></body></html>`

const evaluate = (expression: string, text = html) => {
  const { document } = parsePage(text, 'https://page.test/')
  const value = evaluateXPath(
    parseXPath(expression),
    document,
    new XPathDocument(document, createWorkBudget()),
  )
  if (!Array.isArray(value)) return value
  return value.map((node) =>
    isXPathAttribute(node)
      ? `@${node.name}=${node.value}`
      : node.nodeType === nodeTypes.document
        ? '#document'
        : node.textContent,
  )
}

const cases: [expression: string, value: unknown][] = [
  ['//p', ['1x', '2', '3']],
  ['//P', ['1x', '2', '3']],
  ['/html/body/div/p', ['1x', '2', '3']],
  ['//linearGradient', ['']],
  ['//p[1]', ['1x', '3']],
  ['(//p)[1]', ['1x']],
  ['(//p)[last()]', ['3']],
  ['//p[last()]', ['2', '3']],
  ['//li[position() > 1]', ['5', '6']],
  ['//li[position() mod 2 = 1]', ['4', '6']],
  ['//div/@class', ['@class=a', '@class=b']],
  ['//div[@class="b"]/p', ['3']],
  ['//div[not(@id)]//li[2]', ['5']],
  ['//p/text()', ['1', '2', '3']],
  ['//comment()', ['c']],
  ['//b/..', ['1x']],
  ['//b/ancestor::div/@id', ['@id=one']],
  ['//li[. = "5"]/preceding-sibling::li', ['4']],
  ['//li[. = "6"]/preceding-sibling::li[1]', ['5']],
  ['//li[1]/following-sibling::*', ['5', '6']],
  ['//p[b]', ['1x']],
  ['//b | //li[1] | //p[2]', ['x', '2', '4']],
  ['//p[contains(., "x")]', ['1x']],
  ['//p[starts-with(., "1") or . = 3]', ['1x', '3']],
  ['//li[. > 4]', ['5', '6']],
  ['//li[. != 4][1]', ['5']],
  ['//li[lang("de")]', ['6']],
  ['//li[lang("en")]', ['4', '5']],
  ['id("one")/p[2]', ['2']],
  ['//*[local-name() = "ul"]/li[1]', ['4']],
  ['count(//li)', 3],
  ['sum(//li)', 15],
  ['string(//p[2])', '2'],
  ['concat("a", 1, true())', 'a1true'],
  ['substring("12345", 2, 3)', '234'],
  ['substring("12345", 1.5, 2.6)', '234'],
  ['substring("12345", 0 div 0)', ''],
  ['substring("12345", 2, 0 div 0)', ''],
  ['substring("12345", -42, 1 div 0)', '12345'],
  ['substring-before("a=b", "=")', 'a'],
  ['substring-before("ab", "=")', ''],
  ['substring-after("a=b", "=")', 'b'],
  ['translate("bar", "abc", "AB")', 'BAr'],
  ['normalize-space("  a\n b ")', 'a b'],
  ['string-length("a😀")', 2],
  ['round(2.5) + floor(-1.5) - ceiling(1.2)', -1],
  ['- - 3', 3],
  ['2 + 3 * 4 - 8 div 2', 10],
  ['7 mod 3', 1],
  ['1 < 2 = true()', true],
  ['boolean(//no-such)', false],
  ['number("x") = number("x")', false],
  ['not(//p = "2")', false],
  ['string(-0)', '0'],
]

for (const [expression, value] of cases) {
  test(`XPath: ${expression}`, () => {
    assert.deepEqual(evaluate(expression), value)
  })
}

test('the axes of a node cover the document, each node once', () => {
  const { document } = parsePage(html, 'https://page.test/')
  const xpath = new XPathDocument(document, createWorkBudget())
  const count = (axis: string, node: object) =>
    evaluateXPath(parseXPath(`count(${axis}::node())`), node as typeof document, xpath) as number
  const all = [...nodesIn(document)].filter((node) => node.nodeType !== 10)

  for (const node of all) {
    const axes = ['self', 'ancestor', 'descendant', 'preceding', 'following']
    const sum = axes.reduce((total, axis) => total + count(axis, node), 0)
    // The document itself is an ancestor of all.
    assert.equal(sum, all.length + 1)
  }
})

test('many levels of // take linear time, however deep the page is', () => {
  const { document } = parsePage(`<!doctype html>${'<div>'.repeat(1_200)}x`, 'https://page.test/')
  const budget = createWorkBudget({ stepsMax: 100_000, charactersMax: 1_000 })
  const value = evaluateXPath(
    parseXPath('//div//div//div//div[not(a)]//text()'),
    document,
    new XPathDocument(document, budget),
  )

  assert.equal(Array.isArray(value) && value.length, 1)
})

test('an XPath finds the same elements as the CSS selector that means the same', () => {
  const tags = fc.constantFrom('div', 'ul', 'li', 'b')
  const { node } = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constant('x'),
      fc
        .tuple(tags, fc.array(tie('node'), { maxLength: 3 }))
        .map(([tag, inner]) => `<${tag}>${inner.join('')}</${tag}>`),
    ),
  }))
  const pairs = [
    ['//div//b', 'div b'],
    ['//ul/li', 'ul > li'],
    ['//li[1]', 'li:nth-of-type(1)'],
    ['//div[.//b]', 'div:has(b)'],
    ['//b/following-sibling::div', 'b ~ div'],
  ] as const
  fc.assert(
    fc.property(node, (body) => {
      const { document } = parsePage(`<!doctype html>${body}`, 'https://page.test/')
      const xpath = new XPathDocument(document, createWorkBudget())
      for (const [path, css] of pairs) {
        const found = evaluateXPath(parseXPath(path), document, xpath)
        assert.deepEqual(found, selectCss(css, document, true, createWorkBudget()))
      }
    }),
  )
})
