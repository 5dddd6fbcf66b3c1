import type { BatchRequest } from '@trawl/sdk'
import { readObject } from './arguments.ts'

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
