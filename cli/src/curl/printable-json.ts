/**
 * Characters that a screen does not show, or that change how it shows others: text in a snippet must be
 * what it seems to be, and a terminal that is given a DEL would take back what was pasted before it.
 */
export const unprintable = /[\p{Cf}\u007f-\u009f\u2028\u2029]/gu

/** JSON for people to read and to paste; what cannot be seen is escaped. */
export const printableJson = (value: unknown, indent = 0): string =>
  JSON.stringify(value, null, indent).replace(unprintable, escapeUnits)

/** One escape for each UTF-16 unit, as JSON wants. */
export const escapeUnits = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
