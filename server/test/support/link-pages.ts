import type { PageSite } from './page-site.ts'

/** A page that links to these places, in this order. */
export const linkPage = (hrefs: readonly string[], head = ''): string =>
  `<!doctype html><html><head><title>A page</title>${head}</head><body>${hrefs
    .map((href) => `<p><a href="${href}">on</a></p>`)
    .join('')}</body></html>`

/** Adds pages by their paths, each with what it links to. */
export function addLinkPages(site: PageSite, pages: Record<string, readonly string[]>): void {
  for (const [path, hrefs] of Object.entries(pages)) site.page(path, linkPage(hrefs))
}

/** The paths of a crawl's results, in their order. */
export const pathsOf = (crawl: { results: { url: string }[] }): string[] =>
  crawl.results.map(({ url }) => {
    const { pathname, search } = new URL(url)
    return pathname + search
  })
