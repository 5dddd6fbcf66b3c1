import type { Protocol } from 'devtools-protocol'
import type { ScrapeOptions } from '../../../domain/scrape/scrape-options.ts'
import { chromeVersion, type DeviceType, devices } from '../../request/devices.ts'
import { clientHints } from '../../request/request-headers.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'

export interface Screen {
  readonly width: number
  readonly height: number
  readonly deviceScaleFactor: number
  readonly isMobile: boolean
  readonly hasTouch: boolean
  readonly isLandscape: boolean
}

const screens: Record<DeviceType, Omit<Screen, 'isLandscape'>> = {
  desktop: { width: 1280, height: 800, deviceScaleFactor: 1, isMobile: false, hasTouch: false },
  mobile: { width: 412, height: 915, deviceScaleFactor: 2.625, isMobile: true, hasTouch: true },
  tablet: { width: 800, height: 1280, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
}

/** The viewport's fields win; the device type fills in the rest. */
export function screenFor(
  deviceType: DeviceType,
  viewport: ScrapeOptions['viewport'] = screens[deviceType],
): Screen {
  const byDefault = screens[deviceType]
  const { width, height } = viewport
  return {
    width,
    height,
    deviceScaleFactor: viewport.deviceScaleFactor ?? byDefault.deviceScaleFactor,
    isMobile: viewport.isMobile ?? byDefault.isMobile,
    hasTouch: viewport.hasTouch ?? byDefault.hasTouch,
    isLandscape: viewport.isLandscape ?? width > height,
  }
}

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

/** Headers and script values that match the headers of the HTTP engine. */
function userAgentOf(deviceType: DeviceType): Protocol.Emulation.SetUserAgentOverrideRequest {
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
      fullVersionList: named.map(({ brand, version }) => ({
        brand,
        version: chromeVersion.startsWith(`${version}.`) ? chromeVersion : `${version}.0.0.0`,
      })),
      fullVersion: chromeVersion,
      platform: platform.replaceAll('"', ''),
      platformVersion: '10.0.0',
      architecture: isAndroid ? '' : 'x86',
      bitness: isAndroid ? '' : '64',
      model: isAndroid ? 'K' : '',
      mobile: isMobile,
      formFactors: formFactors[deviceType],
    },
  }
}

const formFactors: Record<DeviceType, string[]> = {
  desktop: ['Desktop'],
  mobile: ['Mobile'],
  tablet: ['Tablet'],
}

/** Makes a page show the same device in headers and to scripts as the HTTP engine does. */
export function emulateDevice(deviceType: DeviceType, session: CdpSession, url: string): void {
  session.post('Emulation.setUserAgentOverride', userAgentOf(deviceType))
  setFirstClientHints(session, clientHints(deviceType, new URL(url)))
}

/** The same for a worker, which must still be paused before its first line. */
export function emulateDeviceInWorker(deviceType: DeviceType, worker: CdpSession): void {
  const userAgent = userAgentOf(deviceType)
  worker.post('Emulation.setUserAgentOverride', userAgent)
  worker.post('Runtime.evaluate', { expression: navigatorOf(userAgent) })
}

/** The browser chooses the client hints of the first request before the override takes effect. */
function setFirstClientHints(session: CdpSession, hints: Readonly<Record<string, string>>): void {
  session.post('Network.setExtraHTTPHeaders', { headers: hints })
  let isFirst = true
  session.on('Network.requestWillBeSent', () => {
    if (isFirst) session.post('Network.setExtraHTTPHeaders', { headers: {} })
    isFirst = false
  })
}

/** Overrides in a worker what `setUserAgentOverride` overrides in pages only. */
const navigatorOf = ({
  userAgent,
  platform,
}: {
  userAgent: string
  platform?: string
}): string => `{
  const overrides = ${JSON.stringify({ userAgent, platform, appVersion: userAgent.replace('Mozilla/', '') })}
  for (const [name, value] of Object.entries(overrides)) {
    Object.defineProperty(WorkerNavigator.prototype, name, {
      get: () => value, configurable: true, enumerable: true,
    })
  }
}`
