/** A simple command as a shell would start it. */
export interface ShellCommand {
  words: string[]
  /** What the command is given by `<<` or `<<<`. */
  stdin?: string
  /** What only a shell can do, in words. */
  leftOut: string[]
}

/** Splits a command line as a POSIX shell does, and bash with `$'…'`; nothing is run or expanded. */
export const splitShellWords = (text: string): ShellCommand => new ShellReader(text).read()

interface HereDocument {
  delimiter: string
  isQuoted: boolean
  hasTabs: boolean
}

class ShellReader {
  readonly #text: string
  #at = 0
  #stdin: string | undefined
  #hereDocument: HereDocument | undefined
  readonly #words: string[] = []
  readonly #leftOut: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  read(): ShellCommand {
    while (this.#skipBlanks()) {
      const next = this.#text[this.#at] ?? ''
      if (next === '\n') {
        this.#at++
        if (this.#words.length > 0) break
      } else if (next === '<' || next === '>') this.#readRedirection(next)
      else if (';|&()'.includes(next)) break
      else this.#readArgument()
    }
    if (this.#hereDocument) this.#readHereDocument(this.#hereDocument)
    const rest = this.#text.slice(this.#at).trim()
    if (rest !== '') this.#leftOut.push(`what follows the command: ${shownPart(rest)}`)
    return {
      words: this.#words,
      leftOut: this.#leftOut,
      ...(this.#stdin !== undefined && { stdin: this.#stdin }),
    }
  }

  /** Whether anything is left after blanks, continued lines and comments. */
  #skipBlanks(): boolean {
    this.#skip(/(?:[ \t]|\\\n)*(?:#[^\n]*)?/y)
    return this.#at < this.#text.length
  }

  #readArgument(): void {
    const start = this.#at
    const word = this.#readWord()
    const isDescriptor = /^\d+$/.test(this.#text.slice(start, this.#at))
    // `2>` redirects a stream, while `2` is a word.
    if (isDescriptor && /[<>]/.test(this.#text[this.#at] ?? '')) return
    this.#words.push(word)
  }

  #readRedirection(direction: '<' | '>'): void {
    const operator = this.#skip(/<<<|<<-?|<|>>|>[&|]?/y)
    this.#skip(/[ \t]*/y)
    const start = this.#at
    const word = this.#readWord()
    if (operator === '<<<') this.#stdin = `${word}\n`
    else if (operator.startsWith('<<')) {
      const isQuoted = /['"\\]/.test(this.#text.slice(start, this.#at))
      this.#hereDocument = { delimiter: word, isQuoted, hasTabs: operator === '<<-' }
    } else if (direction === '<') this.#leftOut.push(`the file ${shownPart(word)}`)
    else this.#leftOut.push(`the output to ${shownPart(word)}`)
  }

  #readWord(): string {
    const parts: string[] = []
    for (;;) {
      const plain = this.#skip(/[^ \t\n'"\\$`;|&()<>]+/y)
      const next = this.#text[this.#at]
      parts.push(plain)
      if (next === "'") parts.push(this.#readSingleQuoted())
      else if (next === '"') parts.push(this.#readDoubleQuoted())
      else if (next === '\\') parts.push(this.#skip(/\\[\s\S]?/y).replace(/^\\\n?/, ''))
      else if (next === '$') parts.push(this.#readDollar(true))
      else if (next === '`') this.#refuseCommand()
      else return parts.join('')
    }
  }

  #readSingleQuoted(): string {
    const quoted = this.#skip(/'[^']*'/y)
    if (quoted === '') throw new UnreadableCommand("A quote (') is opened and not closed.")
    return quoted.slice(1, -1)
  }

  #readDoubleQuoted(): string {
    this.#at++
    const parts: string[] = []
    for (;;) {
      parts.push(this.#skip(/[^"\\$`]+/y))
      const next = this.#text[this.#at]
      if (next === undefined) throw new UnreadableCommand('A quote (") is opened and not closed.')
      if (next === '"') break
      if (next === '`') this.#refuseCommand()
      else if (next === '$') parts.push(this.#readDollar(false))
      else parts.push(this.#skip(/\\[\s\S]?/y).replace(/^\\(?:\n|([$`"\\]))/, '$1'))
    }
    this.#at++
    return parts.join('')
  }

  /** `$'…'` has escapes; a variable stays as it is written, as its value is not known here. */
  #readDollar(isOutsideQuotes: boolean): string {
    const second = this.#text[this.#at + 1]
    if (second === '(') this.#refuseCommand()
    if (isOutsideQuotes && second === '"') {
      this.#at++
      return this.#readDoubleQuoted()
    }
    if (isOutsideQuotes && second === "'") return this.#readAnsiCQuoted()
    const variable = this.#skip(/\$(?:\w+|\{[^}]*\})/y)
    if (variable !== '') this.#leftOut.push(`the value of ${shownPart(variable)}`)
    return variable || this.#skip(/\$/y)
  }

  #readAnsiCQuoted(): string {
    const quoted = this.#skip(/\$'(?:[^'\\]|\\(?:c[\s\S]|[^c]))*'/y)
    if (quoted === '') throw new UnreadableCommand("A quote ($') is opened and not closed.")
    return quoted.slice(2, -1).replace(ansiCEscapes, (escapes) => readEscapes(escapes))
  }

  #refuseCommand(): never {
    const part = shownPart(this.#text.slice(this.#at).split('\n', 1)[0] ?? '')
    throw new UnreadableCommand(`A command within the command is not run here: ${part}`)
  }

  #readHereDocument({ delimiter, isQuoted, hasTabs }: HereDocument): void {
    const lines: string[] = []
    for (;;) {
      if (this.#at >= this.#text.length) {
        throw new UnreadableCommand(`The text after << has no line that is ${delimiter}.`)
      }
      const line = this.#skip(/[^\n]*\n?/y)
      const kept = hasTabs ? line.replace(/^\t+/, '') : line
      if (kept.replace(/\n$/, '') === delimiter) break
      lines.push(kept)
    }
    const text = lines.join('')
    if (!isQuoted && /`|\$\(/.test(text)) this.#refuseCommand()
    this.#stdin = isQuoted ? text : text.replace(/\\(?:\n|([$`\\]))/g, '$1')
  }

  /** Moves over what the pattern, which is sticky, matches here. */
  #skip(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }
}

/** Bytes in a row are read together. */
const ansiCEscapes =
  /(?:\\(?:[0-7]{1,3}|x[\da-fA-F]{1,2}))+|\\u[\da-fA-F]{1,4}|\\U[\da-fA-F]{1,8}|\\c[\s\S]|\\[\s\S]/g

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

const controls = { a: 7, b: 8, e: 27, E: 27, f: 12, n: 10, r: 13, t: 9, v: 11 }
const characterByEscape = new Map([
  ...Object.entries(controls).map(([name, code]) => [name, String.fromCharCode(code)] as const),
  ...[...'\\\'"?'].map((plain) => [plain, plain] as const),
])

/** A command that cannot be read; the message says to its writer what was not understood. */
export class UnreadableCommand extends Error {}

/** A part of a command as messages show it. */
export const shownPart = (part: string): string =>
  part.length > shownCharactersMax ? `${part.slice(0, shownCharactersMax)}…` : part

const shownCharactersMax = 60
