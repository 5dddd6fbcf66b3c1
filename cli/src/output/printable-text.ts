/**
 * Escapes untrusted text for a terminal: characters that could move the cursor, change colours or reverse
 * the text direction become their codes.
 */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codeOf)

/** The same for a whole page: line feeds and tabs stay. */
export const printableLines = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => (/[\n\t]/.test(mark) ? mark : codeOf(mark)))

const codeOf = (mark: string): string => `\\u{${mark.codePointAt(0)?.toString(16)}}`
