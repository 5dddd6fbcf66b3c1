/** The words of a text, which spaces or lines separate. */
export const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))
