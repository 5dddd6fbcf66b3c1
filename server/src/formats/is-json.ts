/** Deeper documents are refused, because few JSON parsers of our callers could read them. */
const depthMax = 1_000

/**
 * Whether UTF-8 text is one JSON document. `JSON.parse` would build it, which can take fifty times its
 * size, and a heap that overflows inside `JSON.parse` ends the whole process, not only the thread.
 */
export function isJson(text: Uint8Array, levelsMax = depthMax): boolean {
  /** The open lists and objects; true for an object. */
  const isObject: boolean[] = []
  let at = skipSpace(text, 0)
  for (;;) {
    const opened = text[at]
    if (opened === openBrace || opened === openBracket) {
      isObject.push(opened === openBrace)
      if (isObject.length > levelsMax) return false
      at = skipSpace(text, at + 1)
      const isEmpty = text[at] === (opened === openBrace ? closeBrace : closeBracket)
      if (!isEmpty) {
        if (opened === openBrace) at = skipKey(text, at)
        if (at < 0) return false
        continue
      }
    } else {
      at = skipScalar(text, at)
      if (at < 0) return false
      at = skipSpace(text, at)
    }
    // After a value: any number of closing brackets, then the next value or the end of the text.
    while (isObject.length > 0 && text[at] === (isObject.at(-1) ? closeBrace : closeBracket)) {
      isObject.pop()
      at = skipSpace(text, at + 1)
    }
    if (isObject.length === 0) return at === text.length
    if (text[at] !== comma) return false
    at = skipSpace(text, at + 1)
    if (isObject.at(-1)) at = skipKey(text, at)
    if (at < 0) return false
  }
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [comma, colon, quote, backslash] = [0x2c, 0x3a, 0x22, 0x5c]
const [minus, plus, dot, zero, nine] = [0x2d, 0x2b, 0x2e, 0x30, 0x39]
const [letterE, letterU, upperCaseBit] = [0x65, 0x75, 0x20]
const escaped = new Set(Buffer.from('"\\/bfnrt'))
const words = ['true', 'false', 'null'].map((word) => Buffer.from(word))

/** Each of these returns the index after what it skipped, or -1 where the text is not valid. */
function skipSpace(text: Uint8Array, from: number): number {
  let at = from
  let byte = text[at]
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
    at += 1
    byte = text[at]
  }
  return at
}

function skipKey(text: Uint8Array, from: number): number {
  const end = text[from] === quote ? skipString(text, from) : -1
  if (end < 0) return -1
  const at = skipSpace(text, end)
  return text[at] === colon ? skipSpace(text, at + 1) : -1
}

function skipScalar(text: Uint8Array, from: number): number {
  const first = text[from]
  if (first === quote) return skipString(text, from)
  if (first === minus || isDigit(first)) return skipNumber(text, from)
  const word = words.find((known) => known.every((byte, index) => text[from + index] === byte))
  return word ? from + word.length : -1
}

function skipString(text: Uint8Array, from: number): number {
  let at = from + 1
  for (;;) {
    const byte = text[at]
    if (byte === quote) return at + 1
    if (byte === undefined || byte < 0x20) return -1
    if (byte !== backslash) {
      at += 1
      continue
    }
    const letter = text[at + 1] ?? 0
    if (letter === letterU) {
      for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHexDigit(text[digit])) return -1
      at += 6
    } else {
      if (!escaped.has(letter)) return -1
      at += 2
    }
  }
}

function skipNumber(text: Uint8Array, from: number): number {
  let at = text[from] === minus ? from + 1 : from
  at = text[at] === zero ? at + 1 : skipDigits(text, at)
  if (at >= 0 && text[at] === dot) at = skipDigits(text, at + 1)
  if (at >= 0 && ((text[at] ?? 0) | upperCaseBit) === letterE) {
    const sign = text[at + 1]
    at = skipDigits(text, sign === plus || sign === minus ? at + 2 : at + 1)
  }
  return at
}

/** At least one digit. */
function skipDigits(text: Uint8Array, from: number): number {
  let at = from
  while (isDigit(text[at])) at += 1
  return at === from ? -1 : at
}

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= zero && byte <= nine

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined || isDigit(byte)) return byte !== undefined
  const lower = byte | upperCaseBit
  return lower >= 0x61 && lower <= 0x66
}
