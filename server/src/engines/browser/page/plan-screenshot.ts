import { Failure } from '../../../domain/failure.ts'
import type { ImageType } from '../../../domain/scrape/page.ts'
import type { ScrapeOptions } from '../../../domain/scrape/scrape-options.ts'
import type { Size } from './image-size.ts'
import type { Screen } from './screens.ts'

export type ImageOptions = Readonly<Omit<ScrapeOptions['screenshot']['options'], 'encoding'>>

/** Which part of a page is captured, how, and how large the image will be. */
export interface ScreenshotPlan {
  /** The viewport, a clip beyond it, or a viewport made as large as the page. */
  mode: 'viewport' | 'clip' | 'enlarged viewport'
  /** In CSS pixels. */
  area: Size
  /** In device pixels. */
  image: Size
}

/** Throws a failure that names the limit when such an image is not possible. */
export function planScreenshot(
  { type, fullPage, captureBeyondViewport, fromSurface }: ImageOptions,
  screen: Screen,
  content: Size,
): ScreenshotPlan {
  const fitsViewport = content.width === screen.width && content.height === screen.height
  const area = fullPage ? content : { width: screen.width, height: screen.height }
  // Without `fromSurface`, Chromium ignores the scale factor and cannot clip.
  const scale = fromSurface ? screen.deviceScaleFactor : 1
  const image = { width: Math.round(area.width * scale), height: Math.round(area.height * scale) }
  requirePossible(image, type, fromSurface)
  if (!fullPage || fitsViewport) return { mode: 'viewport', area, image }
  return { mode: captureBeyondViewport && fromSurface ? 'clip' : 'enlarged viewport', area, image }
}

/**
 * Width times height. Chromium needs about 20 bytes a pixel while it draws; beyond its tile memory
 * (see the launch arguments) it leaves the lower parts of the page blank, without an error.
 */
export const pixelsMax = 100_000_000

/** For each side. Chromium encodes no larger images: it returns nothing, and no error. */
const sidesMax: Record<ImageType, number> = {
  png: 1_000_000, // the largest that was tested
  jpeg: 65_500,
  webp: 16_383,
}

/** Without `fromSurface`, Chromium cuts off larger images. */
const viewportSideMax = 16_384

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
  if (!fromSurface && longer > viewportSideMax) {
    throw tooLarge(`${wouldBe} the limit without fromSurface is ${viewportSideMax} a side.`)
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
