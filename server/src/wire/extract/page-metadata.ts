import { z } from 'zod'

const text = z.string().nullable()
const url = text.describe('Absolute URL.')
const time = text.describe(
  'ISO 8601: in UTC where the page names a zone, local time or a bare day where it does not.',
)
const properties = z.record(z.string(), z.string())

/** What a page says about itself. A field that the page does not declare is null or empty. */
export const PageMetadata = z
  .object({
    title: text.describe("The page's `<title>`, else its OpenGraph title, headline or first `h1`."),
    description: text,
    canonical: url.describe('The address that the page names as its own (absolute).'),
    language: text.describe('Language tag of BCP 47, such as `en` or `pt-BR`.'),
    author: text.describe('Names, joined with a comma where there are several.'),
    published_time: time,
    modified_time: time,
    site_name: text,
    image: url.describe('The image that stands for the page (absolute URL).'),
    favicon: url.describe('Absolute URL; null where the page declares none.'),
    keywords: z.array(z.string()),
    robots: text.describe('The directives of the robots meta tag, as written.'),
    feeds: z.array(
      z.object({
        url: z.string(),
        title: text,
        type: z.string().describe('Media type, such as `application/rss+xml`.'),
      }),
    ),
    open_graph: properties.describe(
      'Properties without `og:`; others, such as `article:section`, in full. The first value of each.',
    ),
    twitter: properties.describe('Properties without `twitter:`. The first value of each.'),
    json_ld: z
      .array(z.unknown())
      .describe('The JSON-LD blocks as the page wrote them, without those that are not JSON.'),
  })
  .meta({ id: 'PageMetadata' })

export type PageMetadata = z.output<typeof PageMetadata>
