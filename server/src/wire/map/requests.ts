import { z } from 'zod'
import { httpUrl, withoutUnset } from '../../domain/scrape/option-kinds.ts'
import { UrlPart } from '../../domain/url-part.ts'

/** The body of a map. Unknown fields are ignored. */
export const MapRequest = withoutUnset(
  z.object({
    url: httpUrl(8192).describe(
      'The site: absolute, http or https. Where it has a path, only what lies under it is listed.',
    ),
    search: UrlPart.optional().describe('Only URLs that contain this text, in any case.'),
    include_subdomains: z
      .boolean()
      .default(false)
      .describe('The whole domain, with the sitemaps of its usual subdomains.'),
    ignore_query_parameters: z
      .boolean()
      .default(true)
      .describe('Leave queries out, so that URLs that differ in them are one.'),
  }),
).meta({ id: 'MapRequest' })
