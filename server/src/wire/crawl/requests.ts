import { z } from 'zod'
import {
  checkExtractOptions,
  extractOptionFields,
  mergeTwins,
} from '../../domain/scrape/extract-options.ts'
import { httpUrl, listUpTo, withoutUnset } from '../../domain/scrape/option-kinds.ts'

const globsMax = 100
const globCharactersMax = 512
/** Each star may have to look at the whole path once more. */
const fewStars = /^[^*]*(?:\*+[^*]*){0,10}$/

const globs = (about: string) =>
  listUpTo(globsMax, z.string().min(1).max(globCharactersMax).regex(fewStars))
    .default([])
    .describe(`${about} Globs on the path; \`*\` stands for any characters, \`/\` too.`)

/** The body of a crawl. Unknown fields are ignored. */
export const CrawlRequest = withoutUnset(
  z.preprocess(
    mergeTwins,
    z
      .object({
        url: httpUrl(8192).describe('The seed page: absolute, http or https.'),
        depth: z
          .int()
          .min(1)
          .max(10)
          .default(2)
          .describe('How deep to follow links; 1 is the seed page only.'),
        limit: z.int().min(1).max(10_000).default(50).describe('How many pages at most.'),
        same_domain_only: z
          .boolean()
          .default(true)
          .describe("Stay on the seed page's host; `www.` counts as the same."),
        include_subdomains: z.boolean().default(false).describe('Follow links to subdomains too.'),
        include_paths: globs('Only these paths; the seed page is exempt.'),
        exclude_paths: globs('Not these paths; the seed page is exempt.'),
        respect_robots: z.boolean().default(true).describe('Obey robots.txt.'),
        delay_ms: z
          .int()
          .min(0)
          .max(30_000)
          .default(0)
          .describe(
            'Pause between two pages of a host, one at a time, for the crawls of the account.',
          ),
        use_sitemaps: z.boolean().default(false).describe('Begin with the pages of sitemaps too.'),
        callback_url: httpUrl(2048)
          .optional()
          .describe('Gets the event `crawl_completed`, signed with the callback secret.'),
        ...extractOptionFields(['markdown']),
      })
      .superRefine(checkExtractOptions)
      .superRefine(({ method }, context) => {
        if (method === 'GET') return
        const params = { type: 'value_error' }
        const message = 'A crawl only reads pages, so the method is GET'
        context.addIssue({ code: 'custom', path: ['method'], params, message })
      }),
  ),
).meta({ id: 'CrawlRequest' })

export type CrawlRequest = z.output<typeof CrawlRequest>
