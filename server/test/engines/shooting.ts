import assert from 'node:assert/strict'
import type { Screenshot } from '../../src/domain/scrape/page.ts'
import type { BrowserScene } from '../support/browser-scene.ts'

/** How tests take images of the pages of a scene, and look at them. */
export interface Shooting {
  /** An image of this page, with these `screenshot.options` and `configurations`. */
  shoot(path: string, options?: object, configurations?: object): Promise<Screenshot>
  /** The colours at these places of an image, as the browser itself decodes it. */
  seenByBrowser(image: Screenshot, places: { x?: number; y: number }[]): Promise<number[][]>
}

export const shooting = ({ site, visit, html }: BrowserScene): Shooting => ({
  async shoot(path, options = {}, configurations = {}) {
    const { page } = await visit(path, { screenshot: { use: true, options }, ...configurations })
    assert.ok(page.screenshot)
    return page.screenshot
  },
  async seenByBrowser({ type, bytes }, places) {
    site.page('/image', (_, response) => {
      response.writeHead(200, { 'content-type': `image/${type}` }).end(bytes)
    })
    site.page('/look', `<canvas id=one width=1 height=1></canvas>${lookAt(places)}`)
    const shown = await html('/look', { js_render: true, waitForSelector: 'output' })
    return JSON.parse(/<output>(.*)<\/output>/.exec(shown)?.[1] ?? '[]')
  },
})

const lookAt = (places: { x?: number; y: number }[]): string => `<script>(async () => {
  const image = await createImageBitmap(await (await fetch('/image')).blob())
  const look = document.getElementById('one').getContext('2d', { willReadFrequently: true })
  const seen = ${JSON.stringify(places)}.map(({ x = 10, y }) => {
    look.clearRect(0, 0, 1, 1)
    look.drawImage(image, x, y, 1, 1, 0, 0, 1, 1)
    return [...look.getImageData(0, 0, 1, 1).data]
  })
  document.body.innerHTML = '<output>' + JSON.stringify(seen) + '</output>'
})()</script>`
