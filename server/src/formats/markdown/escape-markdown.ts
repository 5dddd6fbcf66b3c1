import { longestRun } from '../code-fence.ts'

/** What surrounds a piece of text: the characters beside it, empty at the ends of a line. */
interface TextEdges {
  before: string
  after: string
  isInLink: boolean
}

const special = /\\+|`+|\*+|_+|~+|[[\]<&!]/g
const punctuation = /[!-/:-@[-`{-~]/
const entity = /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][\da-zA-Z]{1,31});/
const wordCharacter = /[\p{L}\p{N}]/u

/** Escapes what markdown would read as markup, and nothing else, so that plain text stays plain. */
export function escapeText(text: string, edges: TextEdges): string {
  if (text.search(special) < 0) return text
  // `replace` with a function would list all matches at once, and text of megabytes fills the heap.
  const pieces: string[] = []
  let waiting: string[] = []
  let end = 0
  for (const { 0: run, index } of text.matchAll(special)) {
    const before = index > 0 ? (text[index - 1] ?? '') : edges.before
    const after = text[index + run.length] ?? edges.after
    if (!isMarkup[run[0] ?? '']?.(run, before, after, edges.isInLink, text, index)) continue
    waiting.push(text.slice(end, index), run.replace(/./g, '\\$&'))
    end = index + run.length
    if (waiting.length < joinedAtOnce) continue
    pieces.push(waiting.join(''))
    waiting = []
  }
  return [...pieces, ...waiting, text.slice(end)].join('')
}

const joinedAtOnce = 4_096

type MarkupTest = (
  run: string,
  before: string,
  after: string,
  isInLink: boolean,
  text: string,
  offset: number,
) => boolean

const isBlank = (character: string): boolean => character === '' || /\s/.test(character)
const isWord = (character: string): boolean => wordCharacter.test(character)
const standsAlone: MarkupTest = (_, before, after) => isBlank(before) && isBlank(after)

/** Whether a run of a special character has a meaning in markdown where it stands. */
const isMarkup: Record<string, MarkupTest> = {
  '\\': (run, _before, after) =>
    run.length > 1 || after === '' || after === '\n' || punctuation.test(after),
  '`': () => true,
  '*': (...at) => !standsAlone(...at),
  _: (run, before, after, ...rest) =>
    !(standsAlone(run, before, after, ...rest) || (isWord(before) && isWord(after))),
  // A single tilde before a word, as in ~5 km, opens a strikethrough that nothing closes.
  '~': (run, before, after) =>
    run.length > 1 ? !(isBlank(before) && isBlank(after)) : !isBlank(before),
  '[': (_, _before, after, isInLink) => isInLink || after === '^',
  ']': (_, _before, after, isInLink) => isInLink || after === '(',
  '<': (_, _before, after) => /[a-zA-Z/!?]/.test(after),
  '&': (_, _before, _after, _isInLink, text, offset) =>
    entity.test(text.slice(offset, offset + 40)),
  '!': (_, _before, after) => after === '[',
}

/** What would make a line a heading, a list, a quote, a rule, a table or a definition of a link. */
const lineStarts: [RegExp, string][] = [
  [/^(?=#{1,6}(?:\s|$))/, '\\'],
  [/^(?=>)/, '\\'],
  [/^(?=[-+*](?:\s|$))/, '\\'],
  [/^(?=(?:-+|=+)\s*$)/, '\\'],
  [/^(\d{1,9})(?=[.)](?:\s|$))/, '$1\\'],
  [/^(?=[|:\- ]+$)/, '\\'],
  [/^(?=\[[ xX]\]\s)/, '\\'],
  [/^(?=\[[^\]]{1,999}\]:)/, '\\'],
]

export function escapeLineStarts(text: string): string {
  const hasSeveralLines = text.includes('\n')
  if (!(hasSeveralLines ? /^[#>\-+*=\d|:[]/m : /^[#>\-+*=\d|:[]/).test(text)) return text
  return text
    .split('\n')
    .map((line) => {
      for (const [start, replacement] of lineStarts) {
        if (start.test(line)) return line.replace(start, replacement)
      }
      return line
    })
    .join('\n')
}

/** A code span; the fence is longer than any run of backticks in the code. */
export function codeSpan(code: string): string {
  const fence = '`'.repeat(longestRun(code, '`') + 1)
  const pad = code.startsWith('`') || code.endsWith('`') ? ' ' : ''
  return `${fence}${pad}${code}${pad}${fence}`
}
