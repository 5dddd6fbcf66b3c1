import type { TestContext } from 'node:test'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { type PageSite, startPageSite } from '../support/page-site.ts'

/** A shop for books that only a proxy knows, under a name that nobody owns. */
export const shopOrigin = 'http://books.example'

const shelves = ['sea', 'travel', 'poetry', 'cooking']
const books = ['harbour-at-dawn', 'letters-from-the-coast', 'the-quiet-tide', 'salt-and-bread']

/** Returns the proxies to list in `TRAWL_PROXIES`. */
export async function startPictureSite(t: TestContext): Promise<{ proxies: object[] }> {
  const site = await startPageSite(t)
  publish(site)
  const places = { 'books.example:80': `127.0.0.1:${site.port}` }
  const proxies = []
  for (const [label, country] of [
    ['fra-1', 'DE'],
    ['ams-2', 'NL'],
  ] as const) {
    const { route } = await startCountingProxy(t, { label, places })
    proxies.push({ url: `http://127.0.0.1:${route.port}`, type: 'datacenter', country, label })
  }
  return { proxies }
}

function publish(site: PageSite): void {
  const links = (paths: string[]) =>
    paths.map((path) => `<li><a href="${path}">${titleOf(path)}</a></li>`).join('')
  const page = (path: string, title: string, body: string) =>
    site.page(path, (_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(
        `<!doctype html><html lang="en"><head><title>${title}</title><meta charset="utf-8">
        <style>${style}</style></head><body><header><a href="/">Books by the sea</a></header>
        <main><h1>${title}</h1>${body}</main><script src="/shop.js"></script></body></html>`,
      )
    })
  page(
    '/',
    'Books by the sea',
    `<p>Four shelves, open all night.</p><ul>${links(shelves.map((shelf) => `/${shelf}`))}</ul>`,
  )
  for (const shelf of shelves) {
    page(
      `/${shelf}`,
      titleOf(shelf),
      `<ul>${links([...books.map((book) => `/${shelf}/${book}`), `/${shelf}/sold-out`])}</ul>`,
    )
    // Leads to what is no page.
    site.page(`/${shelf}/sold-out`, (_request, response) => {
      response.writeHead(302, { location: 'mailto:orders@books.example' }).end()
    })
    for (const book of books) {
      page(
        `/${shelf}/${book}`,
        titleOf(book),
        `<img src="${coverOf(book)}" width="120" height="160" alt="Cover"><p>The boats come home before the light does,
        and the town wakes to the sound of <em>ropes and gulls</em>.</p>
        <table><tr><th>Format</th><th>Price</th></tr><tr><td>Hardcover</td><td>24.00 €</td></tr>
        <tr><td>Paperback</td><td>12.50 €</td></tr></table><h2>Also on this shelf</h2>
        <ul>${links(books.filter((one) => one !== book).map((one) => `/${shelf}/${one}`))}</ul><p id="stock"></p>`,
      )
    }
  }
  asset(
    site,
    '/shop.js',
    'text/javascript',
    `fetch('/stock.json').then((r) => r.json()).then(({ left }) => {
    const stock = document.getElementById('stock'); if (stock) stock.textContent = left + ' left in stock'
    console.info('stock', left)
  })`,
  )
  asset(site, '/stock.json', 'application/json', '{"left": 7}')
}

const style = `body{font:18px/1.6 Georgia,serif;margin:1.5rem auto;max-width:42rem;color:#223;background:#fbf8f1;padding:0 1rem}
  header{border-bottom:2px solid #2a6f7f;padding-bottom:.5rem}h1{color:#1d4e5a}a{color:#2a6f7f}
  img{float:right;margin:0 0 1rem 1.5rem}td,th{padding:.2rem 1rem .2rem 0;text-align:left}`

/** In the page itself, as a preview loads nothing. */
const coverOf = (book: string): string =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="160"><rect width="120" height="160" rx="4" fill="hsl(${190 + books.indexOf(book) * 20} 45% 40%)"/><circle cx="60" cy="64" r="26" fill="#fbf8f1"/><path d="M0 118q30-18 60 0t60 0v42H0z" fill="#1d4e5a"/></svg>`,
  )}`

const asset = (site: PageSite, path: string, type: string, body: string): void =>
  site.page(path, (_request, response) => {
    response.setHeader('content-type', type).end(body)
  })

const titleOf = (path: string): string => {
  const words = (path.split('/').at(-1) ?? '').replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
