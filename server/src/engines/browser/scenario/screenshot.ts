import { takeScreenshot } from '../page/take-screenshot.ts'
import type { Perform } from './step.ts'

export const screenshot: Perform<'screenshot'> = async ({ page }) => {
  const { bytes } = await takeScreenshot(page, {
    type: 'png',
    fullPage: false,
    omitBackground: false,
    captureBeyondViewport: false,
    fromSurface: true,
  })
  return { value: Buffer.from(bytes).toString('base64') }
}
