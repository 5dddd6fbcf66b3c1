import type { MinifierOptions } from '../domain/scrape/minifier-options.ts'

/**
 * Several options are regular expressions that a caller wrote. This keeps those that cannot backtrack
 * without end on a hostile page (ReDoS). It drops `customAttrAssign` and `customAttrSurround`, which
 * the parser puts into its own attribute pattern, where even a plain one can make it slow.
 */
export function withSafePatterns(options: Partial<MinifierOptions>) {
  const {
    customAttrAssign: _assign,
    customAttrSurround: _surround,
    customAttrCollapse,
    customEventAttributes,
    ignoreCustomComments,
    ignoreCustomFragments,
    ...rest
  } = options
  const collapse = customAttrCollapse && toPattern(customAttrCollapse, isPlain)
  return {
    ...rest,
    ...(collapse && { customAttrCollapse: collapse }),
    ...(customEventAttributes && {
      customEventAttributes: toPatterns(customEventAttributes, isPlain),
    }),
    ...(ignoreCustomComments && {
      ignoreCustomComments: toPatterns(ignoreCustomComments, isPlain),
    }),
    ...(ignoreCustomFragments && {
      ignoreCustomFragments: toPatterns(ignoreCustomFragments, isPlainOrSpan),
    }),
  }
}

const toPatterns = (texts: string[], isSafe: (outline: string) => boolean): RegExp[] =>
  texts.map((text) => toPattern(text, isSafe)).filter((pattern) => pattern !== undefined)

function toPattern(text: string, isSafe: (outline: string) => boolean): RegExp | undefined {
  const [, source = text, flags = ''] = /^\/(.+)\/([dgimsuvy]*)$/.exec(text) ?? []
  // `u` and `v` change the syntax that `isSafe` checks; `d`, `g` and `y` have no effect here.
  if (source === '' || /[uv]/.test(flags) || !isSafe(outlineOf(source))) return undefined
  try {
    return new RegExp(source, flags.replace(/[dgy]/g, ''))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Replaces escaped characters and character classes by `x`; a back-reference keeps its backslash. */
const outlineOf = (source: string): string =>
  source.replace(/\\[^\dk]/g, 'x').replace(/\[[^\]]*\]/g, 'x')

/** A pattern without groups and repetitions is fast; an anchored one may have one repetition. */
const isPlain = (outline: string): boolean =>
  /^[^()|\\*+{]*$/.test(outline) || /^\^[^()|\\*+{]*[*+][^()|\\*+{]*$/.test(outline)

/** Also allows a span between two marks, as in `<%[\s\S]*?%>`, which needs no backtracking. */
const isPlainOrSpan = (outline: string): boolean =>
  isPlain(outline) || /^[^()|\\*+?^$]+[x.]\*\?[^()|\\*+?^$]+$/.test(outline)
