/**
 * Text of strangers for a terminal: whatever could move the cursor, change colours or turn the order
 * of letters around is shown as its code.
 */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codeOf)

/** The same for a whole page, whose lines may stay lines. */
export const printableLines = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => (/[\n\t]/.test(mark) ? mark : codeOf(mark)))

const codeOf = (mark: string): string => `\\u{${mark.codePointAt(0)?.toString(16)}}`
