/** The text on one line: each run of white space is a single space, and none is left at the ends. */
export const collapseSpace = (text: string): string => text.replace(/\s+/g, ' ').trim()
