import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parsePage } from '../src/formats/dom/page-document.ts'
import { selectMainContent } from '../src/formats/main-content/select-main-content.ts'
import { toMarkdown } from '../src/formats/markdown/to-markdown.ts'
import { toText } from '../src/formats/markdown/to-text.ts'
import { readText, wordsWithoutTitle } from './read-markdown.ts'
import { type Measure, type PageScores, scoreMarkdown, scoreText, structureOf } from './score.ts'

export interface PageResult {
  name: string
  /** The part of the name before the first dash. */
  kind: string
  golden: string
  markdown: string
  /** How well the markdown of the main content keeps the parts of the page. */
  scores: PageScores
  /** F1 of the main content as plain text. The title counts on neither side. */
  mainText: number
  goldenWords: string[]
  words: string[]
}

const folder = fileURLToPath(new URL('pages/', import.meta.url))

/** The names of all pages that have a golden file, in alphabetical order. */
export const listPages = (): string[] =>
  globSync(`${folder}*.md`)
    .map((path) => basename(path, '.md'))
    .sort()

export function measurePage(name: string): PageResult {
  const html = readFileSync(`${folder}${name}.html`, 'utf8')
  const golden = readFileSync(`${folder}${name}.md`, 'utf8')
  const page = parsePage(html, addressOf(name))
  const main = selectMainContent(page)
  const markdown = toMarkdown(main.root, page.baseUrl)
  const { title, words: goldenWords } = readText(golden)
  const words = wordsWithoutTitle(toText(main.root, page.baseUrl, main.title), title)
  return {
    name,
    kind: name.split('-')[0] ?? name,
    golden,
    markdown,
    scores: scoreMarkdown(golden, markdown),
    mainText: scoreText(goldenWords, words),
    goldenWords,
    words,
  }
}

/** Where the page is said to come from; its golden file has absolute addresses under it. */
const addressOf = (name: string): string => `https://${name}.example/docs/page`

/** The mean of a measure over the pages that have it. */
export const meanOf = (pages: readonly PageResult[], measure: Measure): number | undefined =>
  mean(pages.map(({ scores }) => scores[measure]).filter((score) => score !== undefined))

export const meanStructure = (pages: readonly PageResult[]): number | undefined =>
  mean(pages.map(({ scores }) => structureOf(scores)))

export const meanMainText = (pages: readonly PageResult[]): number | undefined =>
  mean(pages.map(({ mainText }) => mainText))

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
