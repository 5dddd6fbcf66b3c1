import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../../domain/failure.ts'
import type { Screenshot } from '../../../domain/scrape/page.ts'
import { withDeadline } from '../../../runtime/deadline.ts'
import { MemoryBudget } from '../../../runtime/memory-budget.ts'
import { CdpError, CdpGone, CdpTooLarge } from '../cdp/cdp-connection.ts'
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

/** While it is drawn, each pixel takes about 20 bytes of the browser: large images take turns. */
const drawing = new MemoryBudget(pixelsMax)
/** A screen or two. */
const smallPixelsMax = 5_000_000
/** A page whose scripts never end is never drawn, and must not keep the turn for as long as it may stay. */
const drawingMsMax = 30_000

/** An image of the page as it is now: of the size that was meant, or a failure. */
export async function takeScreenshot(live: LivePage, options: ImageOptions): Promise<Screenshot> {
  const { end } = live
  using _ = end.ifLate(() => failed('The screenshot was not taken in time.'))
  const { bytes, size } = await end.during(takeInTurn(live, options)).catch(explain)
  requireMeant(bytes, options, size)
  return { type: options.type, ...size, bytes }
}

async function takeInTurn(
  live: LivePage,
  options: ImageOptions,
): Promise<{ bytes: Buffer; size: Size }> {
  const content = options.fullPage ? await contentSize(live) : live.screen
  const plan = planScreenshot(options, live.screen, content)
  // Held until the browser is done with it, also where nobody waits for the image any more.
  using share = drawing.open()
  const pixels = plan.image.width * plan.image.height
  if (pixels > smallPixelsMax) await share.take(pixels)
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
  const isEnlarged = plan.way === 'enlarged view'
  if (isEnlarged) {
    session.post('Emulation.setDeviceMetricsOverride', { ...metricsOf(screen), ...plan.area })
  }
  try {
    if (isEnlarged) await untilLoaded(live)
    const { data } = await session.send('Page.captureScreenshot', {
      format: options.type,
      fromSurface: options.fromSurface,
      // A PNG takes a third of the time, and a third more bytes.
      optimizeForSpeed: options.type === 'png',
      ...(plan.way === 'clip' && {
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

const lookMs = 50
const loadingMsMax = 5_000

/** In a larger view more comes near, and is only then loaded. */
async function untilLoaded({ world, end }: LivePage): Promise<void> {
  const untilMs = performance.now() + Math.min(loadingMsMax, end.leftMs / 5)
  const look = () => world.evaluate<boolean>(isLoaded).catch(() => false)
  do await pause(lookMs)
  while (performance.now() < untilMs && !(await look()))
}

const isLoaded = `document.fonts.status === 'loaded' &&
  [...document.images].every((image) => image.complete)`

/** Chromium gives back an image that is empty or cut off, and no error, where it is too much for it. */
function requireMeant(bytes: Buffer, { type }: ImageOptions, meant: Size): void {
  if (bytes.length > bytesMax) throw tooManyBytes()
  const size = imageSize(type, bytes)
  if (size?.width !== meant.width || size.height !== meant.height) {
    throw failed('The browser did not draw the whole image.')
  }
}

/** A browser that is gone is another matter, and takes more with it than an image. */
function explain(error: unknown): never {
  if (error instanceof CdpTooLarge) throw tooManyBytes()
  if (!(error instanceof CdpError) || error instanceof CdpGone) throw error
  throw failed('The browser could not draw the page.', error)
}

const tooManyBytes = (): Failure =>
  failed(`The image has more than ${bytesMax} bytes; a JPEG has the fewest.`)

const failed = (message: string, cause?: unknown): Failure =>
  new Failure('SCREENSHOT_FAILED', message, { cause })
