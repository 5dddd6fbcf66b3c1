/** What JSON says, or that it is none and where, in words that fit behind its name. */
export type JsonRead = { value: unknown } | { problem: string }

/** For texts with secrets in them: the parser's own words would quote those. */
export function readJson(text: string): JsonRead {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const place = placeOf((error as Error).message, text)
    return { problem: `must be JSON${place ? `: see ${place}` : ''}` }
  }
}

function placeOf(message: string, text: string): string | undefined {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? []
  if (line) return `line ${line}, column ${column}`
  if (!isAtToken(message)) return undefined
  const lines = text.slice(0, findToken(text)).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

const isAtToken = (message: string): boolean => message.startsWith('Unexpected token')

/** Of a token that it does not expect the parser tells no place, but the same of any text up to it. */
function findToken(text: string): number {
  let [before, upTo] = [0, text.length]
  while (upTo - before > 1) {
    const middle = (before + upTo) >>> 1
    if (failsAtToken(text.slice(0, middle))) upTo = middle
    else before = middle
  }
  return before
}

function failsAtToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return isAtToken((error as Error).message)
  }
}
