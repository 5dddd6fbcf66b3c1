import type { DeviceType } from '../../request/devices.ts'
import { clientHints } from '../../request/request-headers.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import { userAgentOf } from './screens.ts'

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
