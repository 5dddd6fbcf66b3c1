import { UnreadableCommand } from './unreadable-command.ts'

/** The text of `$'…'`, which starts at `start`, and where the command goes on. */
export function readAnsiCText(source: string, start: number): { text: string; end: number } {
  const parts: string[] = []
  const piece =
    /([^'\\]+)|(?:\\(?:[0-7]{1,3}|x[\da-fA-F]{1,2}))+|\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8}|\\c[\s\S]|\\[\s\S]/y
  piece.lastIndex = start
  let end = start
  for (;;) {
    const [found, plain] = piece.exec(source) ?? []
    if (found === undefined) break
    parts.push(plain ?? readEscapes(found))
    end = piece.lastIndex
  }
  if (source[end] !== "'") throw new UnreadableCommand("A quote ($') is opened and not closed.")
  return { text: parts.join(''), end: end + 1 }
}

function readEscapes(escapes: string): string {
  const kind = escapes[1] ?? ''
  if (/[0-7x]/.test(kind)) return readBytes(escapes)
  if (kind === 'u' || kind === 'U') return readCodePoint(escapes)
  if (kind === 'c' && escapes.length > 2) return String.fromCharCode(escapes.charCodeAt(2) & 0x1f)
  // Bash keeps the backslash of an escape that it does not know.
  return characterByEscape.get(kind) ?? escapes
}

function readCodePoint(written: string): string {
  const code = Number.parseInt(written.slice(2), 16)
  if (Number.isNaN(code)) return written
  if (code > 0x10ffff) throw new UnreadableCommand(`${written} is no character.`)
  return String.fromCodePoint(code)
}

/** Octal and hexadecimal escapes are bytes, of UTF-8 unless they cannot be: Firefox means Latin-1. */
function readBytes(escapes: string): string {
  if (escapes === '\\x') return escapes
  const codes = escapes.match(/[0-7]+$|[0-7]+(?=\\)|x[\da-fA-F]+/g) ?? []
  const bytes = Uint8Array.from(codes, (code) =>
    code.startsWith('x') ? Number.parseInt(code.slice(1), 16) : Number.parseInt(code, 8),
  )
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return String.fromCharCode(...bytes)
  }
}

const characterByEscape = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['e', '\x1b'],
  ['E', '\x1b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['?', '?'],
])
