import { minify } from 'html-minifier-next'
import { type MinifierOptions, minifierOptionsOf } from '../../domain/scrape/minifier-options.ts'
import { withLinearPatterns } from './caller-patterns.ts'
import { hideFragments } from './custom-fragments.ts'

/** Returns a page that the minifier cannot parse unchanged. It can block very long: for a thread. */
export async function minifyHtml(html: string, given: MinifierOptions): Promise<string> {
  const chosen: Partial<MinifierOptions> | undefined = minifierOptionsOf(given)
  if (!chosen) return html
  const { options, fragments } = withLinearPatterns(chosen)
  const hidden = fragments && hideFragments(html, fragments)
  // The options come from JSON, which has no `undefined`, so a key that exists has a value. Of the
  // patterns the minifier needs only `test`.
  const settings = {
    ...options,
    ...(hidden && { ignoreCustomFragments: [hidden.marks] }),
    log: ignore,
  } as unknown as MinifySettings
  try {
    const minified = await minify(hidden?.html ?? html, settings)
    return hidden ? hidden.restore(minified) : minified
  } catch {
    // The minifier throws plain errors for broken markup, and a RangeError for deep nesting.
    return html
  }
}

type MinifySettings = NonNullable<Parameters<typeof minify>[1]>

/** The minifier warns about the caller's options and the target's style sheets, not about us. */
const ignore = (): void => {}
