import { Failure } from '../../../domain/failure.ts'
import type { ImageType } from '../../../domain/scrape/page.ts'
import type { ScrapeOptions } from '../../../domain/scrape/scrape-options.ts'
import type { Size } from './image-size.ts'
import type { Screen } from './screens.ts'

export type ImageOptions = Readonly<Omit<ScrapeOptions['screenshot']['options'], 'encoding'>>

/** What of a page is drawn, how, and how large the image then is. */
export interface ScreenshotPlan {
  /** Of the view alone, beyond the view by a clip, or of a view made as large as the page. */
  way: 'view' | 'clip' | 'enlarged view'
  /** In pixels of the page. */
  area: Size
  /** In pixels of the image. */
  image: Size
}

/** Throws where no such image can be had, and says what the limit is. */
export function planScreenshot(
  { type, fullPage, captureBeyondViewport, fromSurface }: ImageOptions,
  screen: Screen,
  content: Size,
): ScreenshotPlan {
  const isWithin = content.width === screen.width && content.height === screen.height
  const area = fullPage ? content : { width: screen.width, height: screen.height }
  // The view is taken in its own pixels, whatever the scale, and knows no clip.
  const scale = fromSurface ? screen.deviceScaleFactor : 1
  const image = { width: Math.round(area.width * scale), height: Math.round(area.height * scale) }
  requirePossible(image, type, fromSurface)
  if (!fullPage || isWithin) return { way: 'view', area, image }
  return { way: captureBeyondViewport && fromSurface ? 'clip' : 'enlarged view', area, image }
}

/**
 * In all. While it draws, Chromium takes about 20 bytes a pixel, and more than it may take for tiles
 * (see the launch arguments) leaves lower parts of the page blank, without an error.
 */
export const pixelsMax = 100_000_000

/** A side. Chromium encodes no larger ones: nothing comes back, and no error. */
const sidesMax: Record<ImageType, number> = {
  png: 1_000_000, // as far as it was tried
  jpeg: 65_500,
  webp: 16_383,
}

/** Whatever is larger is cut off there. */
const viewSideMax = 16_384

const names: Record<ImageType, string> = {
  png: 'a PNG',
  jpeg: 'a JPEG (65535 by its format)',
  webp: 'a WebP',
}

function requirePossible({ width, height }: Size, type: ImageType, fromSurface: boolean): void {
  if (width < 1 || height < 1) {
    throw new Failure('SCREENSHOT_FAILED', 'At this scale the image would have no pixel.')
  }
  const wouldBe = `The image would have ${width} × ${height} pixels;`
  const longer = Math.max(width, height)
  if (longer > sidesMax[type]) {
    throw tooLarge(`${wouldBe} the limit of ${names[type]} is ${sidesMax[type]} a side.`)
  }
  if (!fromSurface && longer > viewSideMax) {
    throw tooLarge(`${wouldBe} the limit without fromSurface is ${viewSideMax} a side.`)
  }
  if (width * height > pixelsMax) {
    throw tooLarge(`${wouldBe} the limit is ${pixelsMax} in all.`)
  }
}

const tooLarge = (what: string): Failure =>
  new Failure(
    'SCREENSHOT_FAILED',
    `${what} Without fullPage, as another type or at a smaller deviceScaleFactor it may fit.`,
  )
