import { z } from 'zod'
import { redactUrl } from '../../domain/redact-url.ts'
import {
  checkExtractOptions,
  extractOptionFields,
  mergeTwins,
} from '../../domain/scrape/extract-options.ts'
import { httpUrl, listUpTo, withoutUnset } from '../../domain/scrape/option-kinds.ts'

const batchUrlsMax = 1_000

const PageUrl = httpUrl(8192)

/** The body of a batch. Unknown fields are ignored. */
export const BatchRequest = withoutUnset(
  z.preprocess(
    mergeTwins,
    z
      .object({
        // Each URL is validated by itself, since a batch may go on without the invalid ones.
        urls: listUpTo(batchUrlsMax, z.string(), 1).describe(
          'The pages, in order: absolute, http or https. Each one is fetched, duplicates too.',
        ),
        ignore_invalid_urls: z
          .boolean()
          .default(true)
          .describe('Go on without invalid URLs; false refuses the batch and names them.'),
        callback_url: httpUrl(2048)
          .optional()
          .describe('Gets the event `batch_completed`, signed with the callback secret.'),
        ...extractOptionFields(['markdown']),
      })
      .superRefine(checkExtractOptions),
  ),
).meta({ id: 'BatchRequest' })

export type BatchRequest = z.output<typeof BatchRequest>

export interface BatchUrl {
  index: number
  url: string
}

/** More of an invalid URL is not kept: a request may hold one of megabytes. */
const shownCharactersMax = 512

/** An invalid URL as it is shown again: without credentials, and cut. */
export const shownInvalidUrl = (url: string): string => {
  const shown = redactUrl(url.slice(0, 8192))
  return shown.length > shownCharactersMax ? `${shown.slice(0, shownCharactersMax)}…` : shown
}

/** Whether a URL can be fetched; `isAllowed` asks the egress guard, without DNS. */
export const isFetchable = (url: string, isAllowed: (url: string) => boolean): boolean =>
  PageUrl.safeParse(url).success && isAllowed(url)
