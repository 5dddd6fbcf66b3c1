/** The value of a JSON text, or a problem that says where it is not JSON, to follow the text's name. */
export type JsonRead = { value: unknown } | { problem: string }

/** For texts that contain secrets, which the parser's own error messages would quote. */
export function readJson(text: string): JsonRead {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const position = positionOf((error as Error).message, text)
    return { problem: `must be JSON${position ? `: see ${position}` : ''}` }
  }
}

function positionOf(message: string, text: string): string | undefined {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? []
  if (line) return `line ${line}, column ${column}`
  if (!isAtToken(message)) return undefined
  const lines = text.slice(0, findToken(text)).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

const isAtToken = (message: string): boolean => message.startsWith('Unexpected token')

/** The parser gives no position for an unexpected token; a binary search over prefixes finds it. */
function findToken(text: string): number {
  let [before, through] = [0, text.length]
  while (through - before > 1) {
    const middle = (before + through) >>> 1
    if (failsAtToken(text.slice(0, middle))) through = middle
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
