import { shingles, shingleWords } from './score.ts'

const shownMax = 12
const columnsMax = 110

/** The first lines that only one of two texts has, `-` for the golden file and `+` for the result. */
export function describeDifferences(golden: string, result: string): string {
  const expected = linesOf(golden)
  const actual = linesOf(result)
  const missing = without(expected, actual).map((line) => `  - ${line}`)
  const added = without(actual, expected).map((line) => `  + ${line}`)
  return [...missing.slice(0, shownMax), ...added.slice(0, shownMax)]
    .map((line) => line.slice(0, columnsMax))
    .join('\n')
}

/** The first runs of words that only one of two texts has. */
export function describeTextDifferences(
  golden: readonly string[],
  result: readonly string[],
): string {
  const missing = uncovered(golden, result).map((run) => `  - ${run}`)
  const added = uncovered(result, golden).map((run) => `  + ${run}`)
  return [...missing.slice(0, shownMax), ...added.slice(0, shownMax)]
    .map((line) => line.slice(0, columnsMax))
    .join('\n')
}

/** Runs of words that are in no shingle of the other text. */
function uncovered(words: readonly string[], others: readonly string[]): string[] {
  const known = new Set(shingles(others))
  const isCovered = new Array<boolean>(words.length).fill(false)
  shingles(words).forEach((shingle, at) => {
    if (known.has(shingle)) isCovered.fill(true, at, at + shingleWords)
  })
  const runs: string[][] = []
  words.forEach((word, at) => {
    if (isCovered[at]) return
    if (at > 0 && !isCovered[at - 1]) runs.at(-1)?.push(word)
    else runs.push([word])
  })
  return runs.map((run) => run.join(' '))
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

function without(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return lines.filter((line) => !known.has(line))
}
