import { type MarkdownContent, readMarkdown } from './read-markdown.ts'

export const measures = ['text', 'headings', 'code', 'tables', 'links', 'images', 'order'] as const

export type Measure = (typeof measures)[number]

/** F1 of each measure from 0 to 1; a measure is missing where neither side has anything to compare. */
export type PageScores = Partial<Record<Measure, number>>

/** Compares markdown with the golden file, part by part. */
export function scoreMarkdown(golden: string, result: string): PageScores {
  const expected = readMarkdown(golden)
  const actual = readMarkdown(result)
  const scores: PageScores = {}
  for (const measure of measures) {
    const score = compare[measure](expected, actual)
    if (score !== undefined) scores[measure] = score
  }
  return scores
}

/** F1 of two texts. */
export const scoreText = (expected: readonly string[], actual: readonly string[]): number =>
  overlap(shingles(expected), shingles(actual)) ?? 1

/** The mean of the measures that a page has. */
export function structureOf(scores: PageScores): number {
  const values = Object.values(scores)
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

type Comparison = (expected: MarkdownContent, actual: MarkdownContent) => number | undefined

const compare: Record<Measure, Comparison> = {
  text: (expected, actual) => overlap(shingles(expected.words), shingles(actual.words)),
  headings: (expected, actual) => overlap(expected.headings, actual.headings),
  code: (expected, actual) => overlap(expected.code, actual.code),
  tables: (expected, actual) => overlap(expected.cells, actual.cells),
  links: (expected, actual) => overlap(expected.links, actual.links),
  images: (expected, actual) => overlap(expected.images, actual.images),
  order: (expected, actual) => inOrder(expected.blocks, actual.blocks),
}

export const shingleWords = 4

/** Runs of four words, as the public benchmark of article extraction compares texts. */
export function shingles(words: readonly string[]): string[] {
  if (words.length < shingleWords) return words.length === 0 ? [] : [words.join(' ')]
  return words.slice(shingleWords - 1).map((_, at) => words.slice(at, at + shingleWords).join(' '))
}

/** F1 of two collections in which an item may occur several times. */
function overlap(expected: readonly string[], actual: readonly string[]): number | undefined {
  if (expected.length + actual.length === 0) return undefined
  const left = new Map<string, number>()
  for (const item of expected) left.set(item, (left.get(item) ?? 0) + 1)
  let found = 0
  for (const item of actual) {
    const count = left.get(item) ?? 0
    if (count === 0) continue
    found++
    left.set(item, count - 1)
  }
  return (2 * found) / (expected.length + actual.length)
}

/** F1 of the longest common subsequence: a block in the wrong place counts as missing. */
function inOrder(expected: readonly string[], actual: readonly string[]): number | undefined {
  if (expected.length + actual.length === 0) return undefined
  let previous = new Array<number>(actual.length + 1).fill(0)
  for (const item of expected) {
    const current = [0]
    actual.forEach((other, at) => {
      const longest = Math.max(previous[at + 1] ?? 0, current[at] ?? 0)
      current.push(item === other ? (previous[at] ?? 0) + 1 : longest)
    })
    previous = current
  }
  return (2 * (previous.at(-1) ?? 0)) / (expected.length + actual.length)
}
