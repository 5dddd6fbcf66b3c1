import { createRequire } from 'node:module'
import type { RE2JS } from 're2js'

/** A caller's regular expression. No text makes it backtrack (ReDoS): a search is linear in the text. */
export interface LinearPattern {
  test(text: string): boolean
  /** The next match from a place on. */
  finderIn(text: string): (from: number) => Match | undefined
}

export interface Match {
  start: number
  end: number
}

/** The longest pattern, also with its counted repetitions written out: `(ab){3}` as `ababab`. */
export const patternCharactersMax = 500
const foldedPerCharacter = 64

/**
 * Reads a regular expression, bare or as `/…/flags`, in the syntax of JavaScript as far as RE2 has it. An
 * explanation is returned for any other text.
 */
export function readLinearPattern(text: string): LinearPattern | { fault: string } {
  const { source, flags } = splitPattern(text)
  if (source === '' || !isRegExp(source, flags)) return { fault: notRegExp }
  if (writtenOutLength(source, ignoresCase(source, flags)) > patternCharactersMax) {
    return { fault: tooLong }
  }
  if (flags.includes('v') || unsupported.test(source)) return { fault: notLinear }
  try {
    return toLinear(compile(source, flags))
  } catch {
    return { fault: notLinear }
  }
}

/** What compiling a pattern takes time and memory by: its length with its counted repetitions written out. */
export function patternLength(text: string): number {
  // Whatever is too long is refused for that, and is not worth reading.
  if (text.length > patternCharactersMax) return text.length
  const { source, flags } = splitPattern(text)
  return Math.max(text.length, writtenOutLength(source, ignoresCase(source, flags)))
}

const notRegExp = 'String should be a regular expression'
const tooLong = `String should be a regular expression of at most ${patternCharactersMax} characters with its counted repetitions written out, where a range that ignores case counts as one for each ${foldedPerCharacter} in it`
const notLinear =
  'String should be a regular expression that RE2 can match in linear time: without lookaround, backreferences and Unicode classes'

function splitPattern(text: string): { source: string; flags: string } {
  const [, source = text, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text) ?? []
  return { source, flags }
}

function isRegExp(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    return false
  }
}

/** A class, an escape, the beginning of a group, a count, or any other character. */
const token = /\[(?:\\.|[^\]\\])*\]|\\.|\((?:\?:|\?<\w+>)?|\{(\d+)(,?)(\d*)\}|./gs

/** As a flag, or in a group: `(?i:a)`. */
const ignoresCase = (source: string, flags: string): boolean =>
  flags.includes('i') || /\(\?[a-z]*i/.test(source)

/** An upper bound, since operators and the beginnings of groups count, too. */
function writtenOutLength(source: string, isFolded: boolean): number {
  const lengths = [0]
  let lastLength = 0
  for (const [text, least, comma, most] of source.matchAll(token)) {
    const length = lengths.pop() ?? 0
    if (text.startsWith('(')) {
      lengths.push(length, 1)
    } else if (text === ')') {
      lastLength = length
      lengths.push((lengths.pop() ?? 0) + length)
    } else if (least !== undefined) {
      const times = Math.max(1, Number(most || least) + (comma && !most ? 1 : 0))
      lengths.push(length + lastLength * (times - 1))
      lastLength *= times
    } else {
      lastLength = isFolded && text.startsWith('[') ? foldedLength(text) : 1
      lengths.push(length + lastLength)
    }
  }
  return lengths.at(-1) ?? 0
}

/** RE2 looks for the other case of each character in the ranges of a class. This is an upper bound, too. */
function foldedLength(characterClass: string): number {
  const characters = characterClass.match(classCharacter) ?? []
  const widths = characters.map((character, index) => {
    const [before, after] = [characters[index - 1], characters[index + 1]]
    if (character !== '-' || !before || !after) return 0
    return Math.max(0, codePointOf(after) - codePointOf(before))
  })
  const foldedCount = widths.reduce((sum, width) => sum + width, 0)
  return 1 + Math.floor(foldedCount / foldedPerCharacter)
}

const classCharacter = /\\[ux]\{[\da-f]+\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\?./gisu

function codePointOf(character: string): number {
  const [, hex] = /^\\[ux]\{?([\da-f]+)/i.exec(character) ?? []
  return hex ? Number.parseInt(hex, 16) : (character.replace(/^\\(?=.)/s, '').codePointAt(0) ?? 0)
}

/** Backreferences, and the quoting of RE2, which JavaScript and so the length above do not know. */
const unsupported = /^(?:[^\\]|\\[^1-9kQ])*\\[1-9kQ]/s

function compile(source: string, flags: string): RE2JS {
  const { RE2JS } = loadRe2()
  const flagValues: Record<string, number> = {
    i: RE2JS.CASE_INSENSITIVE,
    m: RE2JS.MULTILINE,
    s: RE2JS.DOTALL,
  }
  // Unicode classes take milliseconds each to compile.
  const chosen = [...flags].reduce(
    (sum, flag) => sum | (flagValues[flag] ?? 0),
    RE2JS.DISABLE_UNICODE_GROUPS,
  )
  return RE2JS.compile(RE2JS.translateRegExp(source), chosen)
}

const require = createRequire(import.meta.url)

/** Few callers write patterns, and the library takes 8 MB: it is loaded for the first one. */
const loadRe2 = (): typeof import('re2js') => require('re2js')

const toLinear = (compiled: RE2JS): LinearPattern => ({
  test: (text) => compiled.test(text),
  finderIn(text) {
    const matcher = compiled.matcher(text)
    return (from) =>
      from <= text.length && matcher.find(from)
        ? { start: matcher.start(), end: matcher.end() }
        : undefined
  },
})
