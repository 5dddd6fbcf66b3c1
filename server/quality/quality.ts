/** Behind `npm run quality`: measures text and markdown of the corpus and records the scores in docs/quality.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import {
  listPages,
  meanMainText,
  meanOf,
  meanStructure,
  measurePage,
  type PageResult,
} from './corpus.ts'
import { describeDifferences, describeTextDifferences } from './differences.ts'
import { measures, structureOf } from './score.ts'

const worstCount = 5
const page = new URL('../../docs/quality.md', import.meta.url)

const wanted = process.argv.slice(2)
const names = listPages().filter(
  (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)
const results = names.map(measurePage)
const report = table(results)

console.log(report)
const worst = results.toSorted((a, b) => lowest(a) - lowest(b))
for (const result of worst.slice(0, worstCount)) {
  const structure = show(structureOf(result.scores))
  console.log(`\n${result.name}: main text ${show(result.mainText)}, structure ${structure}`)
  console.log(measures.map((measure) => `  ${measure} ${show(result.scores[measure])}`).join(''))
  console.log(describeDifferences(result.golden, result.markdown))
  if (result.mainText < 1) {
    console.log('  of the main text:')
    console.log(describeTextDifferences(result.goldenWords, result.words))
  }
}
// Only a full run is recorded.
if (wanted.length === 0) writeReport(report)

/** The lower of the two scores, which puts a page among the worst. */
function lowest({ mainText, scores }: PageResult): number {
  return Math.min(mainText, structureOf(scores))
}

function table(measured: readonly PageResult[]): string {
  const kinds = Map.groupBy(measured, ({ kind }) => kind)
  const lines = [...kinds].map(([kind, pages]) => line(kind, pages))
  const head = `| Kind | Pages | main text | ${measures.join(' | ')} | structure |`
  const delimiter = `|---|---|${'---|'.repeat(measures.length + 2)}`
  return [head, delimiter, ...lines, line('all', measured)].join('\n')
}

function line(kind: string, pages: readonly PageResult[]): string {
  const cells = measures.map((measure) => show(meanOf(pages, measure)))
  const structure = show(meanStructure(pages))
  const mainText = show(meanMainText(pages))
  return `| ${kind} | ${pages.length} | ${mainText} | ${cells.join(' | ')} | ${structure} |`
}

function show(score: number | undefined): string {
  return score === undefined ? '–' : score.toFixed(3)
}

function writeReport(text: string): void {
  const before = readFileSync(page, 'utf8')
  const after = before.replace(
    /(<!-- measured by npm run quality -->\n)[\s\S]*?(<!-- end -->)/,
    (_, begin: string, end: string) => `${begin}${text}\n${end}`,
  )
  writeFileSync(page, after)
}
