/**
 * Escapes what a terminal would obey inside a JSON text, which stays the same document: JSON itself allows
 * C1 control characters, such as CSI, and marks that reverse the direction of text.
 */
export const terminalJson = (json: string): string =>
  json.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => (mark === '\n' ? mark : escapesOf(mark)))

/** One escape for each UTF-16 unit, as JSON wants. */
const escapesOf = (mark: string): string =>
  Array.from(
    { length: mark.length },
    (_, index) => `\\u${mark.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
