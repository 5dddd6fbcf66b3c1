/** A site of 1 000 pages of about 20 KiB to crawl: a tree with links across. It prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeArticlePage } from './article-page.ts'

const pageCount = 1_000
const childCount = 10
// The links of the article itself lead out of the site.
const article = makeArticlePage(20_000).replaceAll(/href="[^"]*"/g, 'href="http://elsewhere.test/"')

const server = createServer((request, response) => {
  const number = Number(/^\/p\/(\d+)$/.exec(request.url ?? '')?.[1] ?? Number.NaN)
  if (!(number < pageCount)) return void response.writeHead(404).end()
  const children = Array.from({ length: childCount }, (_, at) => number * childCount + at + 1)
  const others = [0, Math.floor(number / 2), (number * 7) % pageCount]
  const links = [...children.filter((child) => child < pageCount), ...others]
    .map((to) => `<a href="/p/${to}">Page ${to}</a>`)
    .join('\n')
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(article.replace('</article>', `${links}</article>`))
})
server.listen(0, '127.0.0.1', () => {
  console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
