/** The fence of a code block in Markdown: longer than any run of backticks in the code, so that none ends it. */
export const codeFence = (code: string): string =>
  '`'.repeat(Math.max(3, longestRun(code, '`') + 1))

export function longestRun(text: string, character: string): number {
  let longest = 0
  let current = 0
  for (let at = text.indexOf(character); at !== -1 && at < text.length; at++) {
    if (text[at] === character) longest = Math.max(longest, ++current)
    else {
      current = 0
      at = text.indexOf(character, at) - 1
      if (at < 0) break
    }
  }
  return longest
}
