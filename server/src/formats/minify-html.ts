import { minify } from 'html-minifier-next'
import { type MinifierOptions, minifierOptionsOf } from '../domain/scrape/minifier-options.ts'
import { withSafePatterns } from './caller-patterns.ts'

/** A page that the minifier cannot parse is returned as it was. Can take very long: for a thread. */
export async function minifyHtml(html: string, given: MinifierOptions): Promise<string> {
  const options: Partial<MinifierOptions> | undefined = minifierOptionsOf(given)
  if (!options) return html
  try {
    // JSON has no `undefined`, so an option that is there has a value.
    const settings = { ...withSafePatterns(options), log: ignore } as MinifySettings
    return await minify(html, settings)
  } catch {
    // It throws plain errors for markup it does not understand, and a RangeError for deep nesting.
    return html
  }
}

type MinifySettings = NonNullable<Parameters<typeof minify>[1]>

/** Its warnings are about the caller's options and the target's style sheets, nothing of ours. */
const ignore = (): void => {}
