export type DeviceType = 'desktop' | 'mobile' | 'tablet'

/** How a browser on such a device identifies itself. Sites compare the fields, so they must agree. */
export interface Device {
  userAgent: string
  /** The value of `sec-ch-ua`. */
  brands: string
  platform: string
  isMobile: boolean
}

/** A current version of Chrome, raised together with the browser that the tests run. */
export const chromeVersion = '156.0.8078.79'
const majorVersion = Number.parseInt(chromeVersion, 10)

/** The first brand is the random one (GREASE) that Chrome adds; it changes with the version. */
const brands = `"Not:A-Brand";v="8", "Chromium";v="${majorVersion}", "Google Chrome";v="${majorVersion}"`

const userAgent = (system: string, isMobile = false): string =>
  `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ` +
  `Chrome/${majorVersion}.0.0.0 ${isMobile ? 'Mobile ' : ''}Safari/537.36`

/** Chrome reports every phone and tablet as Android 10, model K (user-agent reduction). */
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
