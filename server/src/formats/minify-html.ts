import { minify } from 'html-minifier-next'
import { type MinifierOptions, minifierOptionsOf } from '../domain/scrape/minifier-options.ts'
import { withSafePatterns } from './caller-patterns.ts'

/** Returns a page that the minifier cannot parse unchanged. It can block very long: for a thread. */
export async function minifyHtml(html: string, given: MinifierOptions): Promise<string> {
  const options: Partial<MinifierOptions> | undefined = minifierOptionsOf(given)
  if (!options) return html
  try {
    // The options come from JSON, which has no `undefined`, so a key that exists has a value.
    const settings = { ...withSafePatterns(options), log: ignore } as MinifySettings
    return await minify(html, settings)
  } catch {
    // The minifier throws plain errors for broken markup, and a RangeError for deep nesting.
    return html
  }
}

type MinifySettings = NonNullable<Parameters<typeof minify>[1]>

/** The minifier warns about the caller's options and the target's style sheets, not about us. */
const ignore = (): void => {}
