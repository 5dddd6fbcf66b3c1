import type { MinifierOptions } from '../domain/scrape/minifier-options.ts'

/**
 * Several options are expressions that a caller wrote. Kept are those that cannot run for ever over a
 * stranger's page. The parser weaves `customAttrAssign` and `customAttrSurround` into the pattern it
 * tries at every attribute, where even a plain one can make it slow: they are always left out.
 */
export function withSafePatterns(options: Partial<MinifierOptions>) {
  const {
    customAttrAssign: _woven,
    customAttrSurround: _wovenToo,
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
  // `u` and `v` change how the rest is read; `d`, `g` and `y` mean nothing here.
  if (source === '' || /[uv]/.test(flags) || !isSafe(outlineOf(source))) return undefined
  try {
    return new RegExp(source, flags.replace(/[dgy]/g, ''))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** With an `x` for every escaped character and every class; a reference keeps its backslash. */
const outlineOf = (source: string): string =>
  source.replace(/\\[^\dk]/g, 'x').replace(/\[[^\]]*\]/g, 'x')

/** What has neither groups nor repetitions is over soon; anchored, one repetition does no harm. */
const isPlain = (outline: string): boolean =>
  /^[^()|\\*+{]*$/.test(outline) || /^\^[^()|\\*+{]*[*+][^()|\\*+{]*$/.test(outline)

/** From one mark to another, as in `<%[\s\S]*?%>`, which the minifier searches without backtracking. */
const isPlainOrSpan = (outline: string): boolean =>
  isPlain(outline) || /^[^()|\\*+?^$]+[x.]\*\?[^()|\\*+?^$]+$/.test(outline)
