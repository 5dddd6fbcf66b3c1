import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'
import type { Screenshot } from '../../../domain/scrape/page.ts'
import { withDeadline } from '../../../runtime/deadline.ts'
import { MemoryBudget } from '../../../runtime/sharing/memory-budget.ts'
import { CdpClosed, CdpError, CdpTooLarge } from '../cdp/cdp-connection.ts'
import { imageSize, type Size } from './image-size.ts'
import type { LivePage } from './live-page.ts'
import {
  type ImageOptions,
  pixelsMax,
  planScreenshot,
  type ScreenshotPlan,
} from './plan-screenshot.ts'
import { metricsOf } from './screens.ts'

const bytesMax = 50 * 2 ** 20

/**
 * Drawing takes about 20 bytes of memory a pixel, so large images wait for each other, and accounts take
 * turns. Where one account has the largest image, there is room for ordinary pages of others.
 */
const drawingBudget = new MemoryBudget({ total: 1.25 * pixelsMax, accountMax: pixelsMax })
/** Smaller images, of a screen or two, do not wait. */
const smallPixelsMax = 5_000_000
/** A page with an endless script is never drawn and must not hold the budget until its deadline. */
const drawingMsMax = 30_000

/** Captures the page as it is now. Throws when the image does not have the planned size. */
export async function takeScreenshot(live: LivePage, options: ImageOptions): Promise<Screenshot> {
  const { deadline } = live
  using _ = deadline.onTimeout(() => failed('The screenshot was not taken in time.'))
  const { bytes, size } = await deadline.during(captureWithinBudget(live, options)).catch(explain)
  requireComplete(bytes, options, size)
  return { type: options.type, ...size, bytes }
}

async function captureWithinBudget(
  live: LivePage,
  options: ImageOptions,
): Promise<{ bytes: Buffer; size: Size }> {
  const content = options.fullPage ? await contentSize(live) : live.screen
  const plan = planScreenshot(options, live.screen, content)
  // The share is held until the browser has finished, even if the visit has ended before.
  using share = drawingBudget.open(live.accountId)
  const pixels = plan.image.width * plan.image.height
  if (pixels > smallPixelsMax) await share.reserve(pixels)
  const late = () => failed(`The image was not drawn within ${drawingMsMax / 1_000} s.`)
  const bytes = await withDeadline(draw(live, options, plan), { ms: drawingMsMax, late })
  return { bytes, size: plan.image }
}

async function contentSize({ session }: LivePage): Promise<Size> {
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  return { width: Math.ceil(cssContentSize.width), height: Math.ceil(cssContentSize.height) }
}

async function draw(live: LivePage, options: ImageOptions, plan: ScreenshotPlan): Promise<Buffer> {
  const { session, screen } = live
  const isTransparent = options.omitBackground && options.type !== 'jpeg'
  if (isTransparent) {
    session.post('Emulation.setDefaultBackgroundColorOverride', { color: transparent })
  }
  const isEnlarged = plan.mode === 'enlarged viewport'
  if (isEnlarged) {
    session.post('Emulation.setDeviceMetricsOverride', { ...metricsOf(screen), ...plan.area })
  }
  try {
    if (isEnlarged) await waitForImages(live)
    const { data } = await session.send('Page.captureScreenshot', {
      format: options.type,
      fromSurface: options.fromSurface,
      // With it, a PNG takes a third of the time and has a third more bytes.
      optimizeForSpeed: options.type === 'png',
      ...(plan.mode === 'clip' && {
        captureBeyondViewport: true,
        clip: { x: 0, y: 0, ...plan.area, scale: 1 },
      }),
    })
    return Buffer.from(data, 'base64')
  } finally {
    if (isEnlarged) session.post('Emulation.setDeviceMetricsOverride', metricsOf(screen))
    if (isTransparent) session.post('Emulation.setDefaultBackgroundColorOverride', {})
  }
}

const transparent = { r: 0, g: 0, b: 0, a: 0 }

const pollIntervalMs = 50
const loadingMsMax = 5_000

/** In a larger viewport, lazy images and fonts come into view and begin to load. */
async function waitForImages({ world, deadline }: LivePage): Promise<void> {
  const untilMs = performance.now() + Math.min(loadingMsMax, deadline.leftMs / 5)
  const check = () => world.evaluate<boolean>(areImagesLoaded).catch(() => false)
  do await pause(pollIntervalMs)
  while (performance.now() < untilMs && !(await check()))
}

const areImagesLoaded = `document.fonts.status === 'loaded' &&
  [...document.images].every((image) => image.complete)`

/** Chromium returns an empty or cut image instead of an error when an image is too large. */
function requireComplete(bytes: Buffer, { type }: ImageOptions, planned: Size): void {
  if (bytes.length > bytesMax) throw tooManyBytes()
  const size = imageSize(type, bytes)
  if (size?.width !== planned.width || size.height !== planned.height) {
    throw failed('The browser did not draw the whole image; a smaller one may work.')
  }
}

/** A closed connection is not a screenshot failure: the browser has crashed. */
function explain(error: unknown): never {
  if (error instanceof CdpTooLarge) throw tooManyBytes()
  if (!(error instanceof CdpError) || error instanceof CdpClosed) throw error
  throw failed('The browser could not draw the page.', error)
}

const tooManyBytes = (): Failure =>
  failed(`The image has more than ${bytesMax} bytes; the type jpeg needs the fewest.`)

const failed = (message: string, cause?: unknown): Failure =>
  new Failure('SCREENSHOT_FAILED', message, { cause })
