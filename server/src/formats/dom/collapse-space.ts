// Most of a text is words with one space between them, and those need not be replaced.
const collapsible = / \s+|[^\S ]\s*/g

/** Each run of white space becomes a single space. */
export const singleSpaced = (text: string): string => text.replace(collapsible, ' ')

/** The text on one line: singly spaced, and without space at the ends. */
export const collapseSpace = (text: string): string => singleSpaced(text).trim()
