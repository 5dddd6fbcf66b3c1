import { type ShellCommand, shownPart, UnreadableCommand } from './split-shell-words.ts'

/** Whether a command is written for `cmd` of Windows: lines continue with a caret, which escapes too. */
export const isForCmd = (text: string): boolean =>
  /^\s*curl(?:\.exe)?\s+\^"/.test(text) || (/\s\^\n/.test(text) && !/\s\\\n/.test(text))

/** Splits a command line as `cmd` and then the C runtime of Windows do. */
export function splitCmdWords(text: string): ShellCommand {
  const { line, rest } = readCarets(text.trim())
  return {
    words: splitArguments(line),
    leftOut: rest === '' ? [] : [`what follows the command: ${shownPart(rest)}`],
  }
}

/**
 * Outside of quotes a caret makes the next character plain, and a line that ends with one continues with
 * a plain character. A line feed or an operator that is not plain ends the command.
 */
function readCarets(text: string): { line: string; rest: string } {
  const parts: string[] = []
  let isQuoted = false
  let at = 0
  for (const match of text.matchAll(/\^\n?([\s\S]?)|"|[\n&|<>]|[^^"\n&|<>]+/g)) {
    const [piece, plain] = match
    if (piece === '\n' || (!isQuoted && /^[&|<>]$/.test(piece))) break
    at = match.index + piece.length
    if (plain === undefined || !isQuoted) parts.push(plain ?? piece)
    else parts.push(piece)
    // A caret in quotes is plain, so that the quote after it counts.
    if (piece === '"' || (isQuoted && piece === '^"')) isQuoted = !isQuoted
  }
  return { line: parts.join(''), rest: text.slice(at).trim() }
}

/** Backslashes are plain unless a quote follows them; two quotes within quotes are a plain one. */
function splitArguments(line: string): string[] {
  const words: string[] = []
  let word: string[] | undefined
  let isQuoted = false
  for (const [piece, slashes, second] of line.matchAll(/(\\*)"("?)|\\+|[ \t]+|[^\\" \t]+/g)) {
    if (slashes !== undefined) {
      word ??= []
      word.push('\\'.repeat(Math.floor(slashes.length / 2)))
      const isPlain = slashes.length % 2 === 1
      if (isPlain) word.push('"')
      // After a plain quote the second one opens or closes; else two are a plain one, or nothing.
      if (isPlain ? second === '"' : second === '') isQuoted = !isQuoted
      else if (!isPlain && isQuoted) word.push('"')
    } else if (!isQuoted && /^[ \t]/.test(piece)) {
      if (word) words.push(word.join(''))
      word = undefined
    } else {
      word ??= []
      word.push(piece)
    }
  }
  if (isQuoted) throw new UnreadableCommand('A quote (") is opened and not closed.')
  if (word) words.push(word.join(''))
  return words
}
