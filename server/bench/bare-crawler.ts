/** The baseline of crawls: undici and a parser in a loop, with the frontier in memory. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { Pool } from 'undici'

interface Question {
  siteUrl: string
  seedPath: string
  together: number
}

process.on('message', async ({ siteUrl, seedPath, together }: Question) => {
  const pool = new Pool(siteUrl, { connections: together })
  const seen = new Set([seedPath])
  const frontier = [seedPath]
  let underWay = 0
  const startedAtMs = performance.now()
  await new Promise<void>((resolve) => {
    const go = () => {
      while (underWay < together && frontier.length > 0) {
        underWay += 1
        void visit(frontier.shift() ?? '').then(() => {
          underWay -= 1
          if (underWay === 0 && frontier.length === 0) resolve()
          else go()
        })
      }
    }
    go()
  })
  const perSecond = (seen.size * 1_000) / (performance.now() - startedAtMs)
  await pool.close()
  process.send?.({ perSecond, total: seen.size })

  async function visit(path: string): Promise<void> {
    const { body } = await pool.request({ path, method: 'GET' })
    for (const href of linksIn(await body.text())) {
      const url = URL.parse(href, siteUrl + path)
      if (url?.origin !== siteUrl || seen.has(url.pathname)) continue
      seen.add(url.pathname)
      frontier.push(url.pathname)
    }
  }
})

const linksIn = (html: string): string[] => {
  const found: string[] = []
  const waiting: DefaultTreeAdapterTypes.ParentNode[] = [parse(html)]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    for (const child of node.childNodes) {
      if (!('childNodes' in child)) continue
      waiting.push(child)
      const href = child.tagName === 'a' && child.attrs.find(({ name }) => name === 'href')
      if (href) found.push(href.value)
    }
  }
  return found
}
