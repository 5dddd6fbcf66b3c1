/** Crawls a site by Crawlee's Cheerio crawler, whose packages are not ours: it reads titles and links. */
interface Question {
  siteUrl: string
  together: number
}

interface Crawlee {
  CheerioCrawler: new (
    options: object,
    configuration: object,
  ) => { run(urls: string[]): Promise<void> }
  Configuration: new (options: object) => object
}

process.on('message', async ({ siteUrl, together }: Question) => {
  const { CheerioCrawler, Configuration }: Crawlee = await import(
    process.env['TRAWL_BENCH_CRAWLEE'] ?? ''
  )
  let total = 0
  const crawler = new CheerioCrawler(
    {
      minConcurrency: together,
      maxConcurrency: together,
      async requestHandler({
        $,
        enqueueLinks,
      }: {
        $: (selector: string) => { text(): string }
        enqueueLinks(): Promise<void>
      }) {
        $('title').text()
        await enqueueLinks()
        total += 1
      },
    },
    new Configuration({ persistStorage: false }),
  )
  const startedAtMs = performance.now()
  await crawler.run([`${siteUrl}/p/0`])
  process.send?.({ perSecond: (total * 1_000) / (performance.now() - startedAtMs), total })
})
