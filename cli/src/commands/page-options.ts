import type { BatchRequest } from '@trawl/sdk'
import { InvalidArgumentError } from 'commander'

/** What a page can be printed or written as; json is all of it with its metadata. */
export const pageFormats = ['markdown', 'text', 'html', 'links', 'json'] as const
export type PageFormat = (typeof pageFormats)[number]

/** The fields of a request of /v1 that say how pages are fetched and returned. */
export const pageFields = (
  format: PageFormat,
  flags: { render?: true; options?: Record<string, unknown>; timeout?: number | undefined },
): Omit<BatchRequest, 'urls'> => ({
  formats: format === 'json' ? ['markdown', 'links', 'metadata'] : [format],
  only_main_content: format === 'markdown' || format === 'text',
  ...(flags.render && { render_js: true }),
  ...(flags.options && { configurations: flags.options as BatchRequest['configurations'] }),
  ...(flags.timeout !== undefined && { timeout: flags.timeout * 1000 }),
})

export const readOptions = (text: string): Record<string, unknown> =>
  readObject(text, '{"country_code":"de"}')

/** The JSON object of a flag; a message about it shows an example. */
export function readObject(text: string, example: string): Record<string, unknown> {
  try {
    const options: unknown = JSON.parse(text)
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
      return options as Record<string, unknown>
    }
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError(`It must be a JSON object, such as ${example}.`)
}
