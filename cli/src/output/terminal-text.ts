import { escapeUnits } from '../curl/printable-json.ts'

/**
 * Escapes untrusted text for a terminal: characters that could move the cursor, change colours or reverse
 * the text direction become their codes.
 */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codeOf)

/** The same for a whole page: line feeds and tabs stay. */
export const printableLines = (text: string): string =>
  text.replace(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, codeOf)

const codeOf = (mark: string): string => `\\u{${mark.codePointAt(0)?.toString(16)}}`

/**
 * Escapes what a terminal would obey inside a JSON text, which stays the same document: JSON itself allows
 * C1 control characters, such as CSI, and marks that reverse the direction of text.
 */
export const terminalJson = (json: string): string =>
  json.replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, escapeUnits)

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
// Made when first used: it takes 70 ms, which every command would spend.
let graphemes: Intl.Segmenter | undefined

/** How many columns of a terminal a printable text takes; Chinese, Japanese and Korean take two each. */
export const textWidth = (text: string): number =>
  isPlain(text) ? text.length : widthsOf(text).reduce((sum, { width }) => sum + width, 0)

/** Cuts a text that is too wide and marks the cut. */
export function cutToWidth(text: string, columnsMax: number): string {
  if (textWidth(text) <= columnsMax) return text
  let left = columnsMax - 1
  let kept = ''
  for (const { segment, width } of widthsOf(text)) {
    if (width > left) break
    left -= width
    kept += segment
  }
  return columnsMax < 1 ? '' : `${kept}…`
}

export const padToWidth = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(columns - textWidth(text), 0))

const isPlain = (text: string): boolean => /^[ -~]*$/.test(text)

function widthsOf(text: string): { segment: string; width: number }[] {
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...graphemes.segment(text)].map(({ segment }) => ({
    segment,
    width: wide.test(segment) ? 2 : 1,
  }))
}

/** Breaks a text between words into lines; a word that is too long has a line of its own. */
export function wrapWords(text: string, columnsMax: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const line = lines.at(-1)
    const fits = line !== undefined && textWidth(line) + 1 + textWidth(word) <= columnsMax
    if (fits) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}
