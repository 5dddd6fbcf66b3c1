import type { Protocol } from 'devtools-protocol'
import { type DeviceType, devices } from '../http-devices.ts'

interface Viewport {
  readonly width: number
  readonly height: number
  readonly deviceScaleFactor?: number | undefined
  readonly isMobile?: boolean | undefined
  readonly hasTouch?: boolean | undefined
  readonly isLandscape?: boolean | undefined
}

/** What a page sees of the screen it is on. */
export type Screen = { readonly [Field in keyof Viewport]-?: NonNullable<Viewport[Field]> }

/** As large as the devices most people have. */
const screens: Record<DeviceType, Screen> = {
  desktop: screen({ width: 1280, height: 800 }),
  mobile: screen({
    width: 412,
    height: 915,
    deviceScaleFactor: 2.625,
    isMobile: true,
    hasTouch: true,
  }),
  tablet: screen({
    width: 800,
    height: 1280,
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  }),
}

function screen(given: Viewport): Screen {
  const { width, height, deviceScaleFactor, isMobile, hasTouch, isLandscape } = given
  return {
    width,
    height,
    deviceScaleFactor: deviceScaleFactor ?? 1,
    isMobile: isMobile ?? false,
    hasTouch: hasTouch ?? false,
    isLandscape: isLandscape ?? width > height,
  }
}

/** A viewport that was asked for stands for itself, whatever the device. */
export const screenFor = (deviceType: DeviceType, viewport: Viewport | undefined): Screen =>
  viewport ? screen(viewport) : screens[deviceType]

export const metricsOf = (screen: Screen): Protocol.Emulation.SetDeviceMetricsOverrideRequest => ({
  width: screen.width,
  height: screen.height,
  screenWidth: screen.width,
  screenHeight: screen.height,
  deviceScaleFactor: screen.deviceScaleFactor,
  mobile: screen.isMobile,
  screenOrientation: screen.isLandscape
    ? { type: 'landscapePrimary', angle: screen.isMobile ? 90 : 0 }
    : { type: 'portraitPrimary', angle: 0 },
})

/** Says the same as the headers of the HTTP engine, also to scripts. */
export function userAgentOf(
  deviceType: DeviceType,
): Protocol.Emulation.SetUserAgentOverrideRequest {
  const { userAgent, brands, platform, isMobile } = devices[deviceType]
  const isAndroid = platform === '"Android"'
  const named = [...brands.matchAll(/"([^"]+)";v="(\d+)"/g)].map(
    ([, brand = '', version = '']) => ({ brand, version }),
  )
  return {
    userAgent,
    acceptLanguage: 'en-US,en',
    platform: isAndroid ? 'Linux armv81' : 'Win32',
    userAgentMetadata: {
      brands: named,
      fullVersionList: named.map(({ brand, version }) => ({ brand, version: `${version}.0.0.0` })),
      platform: platform.replaceAll('"', ''),
      platformVersion: '10.0.0',
      architecture: isAndroid ? '' : 'x86',
      bitness: isAndroid ? '' : '64',
      model: isAndroid ? 'K' : '',
      mobile: isMobile,
    },
  }
}
