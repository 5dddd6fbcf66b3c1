import { type LinearPattern, readLinearPattern } from '../../domain/linear-pattern.ts'
import type { MinifierOptions } from '../../domain/scrape/minifier-options.ts'

/**
 * Several options are regular expressions that a caller wrote. The minifier only tests texts with three
 * of them, so that they may be linear patterns. This drops `customAttrAssign` and `customAttrSurround`,
 * which the parser puts into its own attribute pattern, where even a plain one can make it backtrack
 * without end on a hostile page (ReDoS).
 */
export function withLinearPatterns({
  customAttrAssign: _assign,
  customAttrSurround: _surround,
  customAttrCollapse,
  customEventAttributes,
  ignoreCustomComments,
  ignoreCustomFragments,
  ...rest
}: Partial<MinifierOptions>) {
  const [collapse] = customAttrCollapse ? toPatterns([customAttrCollapse]) : []
  return {
    options: {
      ...rest,
      ...(collapse && { customAttrCollapse: collapse }),
      ...(customEventAttributes && { customEventAttributes: toPatterns(customEventAttributes) }),
      ...(ignoreCustomComments && { ignoreCustomComments: toPatterns(ignoreCustomComments) }),
    },
    fragments: ignoreCustomFragments && toPatterns(ignoreCustomFragments),
  }
}

/** Tasks that an earlier version accepted may have patterns that are refused now. */
const toPatterns = (texts: readonly string[]): LinearPattern[] =>
  texts.flatMap((text) => {
    const read = readLinearPattern(text)
    return 'fault' in read ? [] : read
  })
