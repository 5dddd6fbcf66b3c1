export type DeviceType = 'desktop' | 'mobile' | 'tablet'

/** What a browser on such a device says of itself. The parts fit each other: sites compare them. */
export interface Device {
  userAgent: string
  /** `sec-ch-ua` and its like. */
  brands: string
  platform: string
  isMobile: boolean
}

/** A Chrome of these days, updated with the browser that the tests run. */
export const chromeVersion = '156.0.8078.79'
const majorVersion = Number.parseInt(chromeVersion, 10)

/** The first brand is Chrome's own noise against sites that look for one word; it changes by version. */
const brands = `"Not:A-Brand";v="8", "Chromium";v="${majorVersion}", "Google Chrome";v="${majorVersion}"`

const userAgent = (system: string, isMobile = false): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ` +
  `Chrome/${majorVersion}.0.0.0 ${isMobile ? 'Mobile ' : ''}Safari/537.36`

/** Chrome tells every phone and tablet to be an Android 10 called K, so these are most people's. */
export const devices: Record<DeviceType, Device> = {
  desktop: {
    userAgent: userAgent('Windows NT 10.0; Win64; x64'),
    brands,
    platform: '"Windows"',
    isMobile: false,
  },
  mobile: {
    userAgent: userAgent('Linux; Android 10; K', true),
    brands,
    platform: '"Android"',
    isMobile: true,
  },
  tablet: {
    userAgent: userAgent('Linux; Android 10; K'),
    brands,
    platform: '"Android"',
    isMobile: false,
  },
}
