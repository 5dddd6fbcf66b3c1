import type { DeviceType } from '../../request/devices.ts'
import { clientHints } from '../../request/request-headers.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import { userAgentOf } from './screens.ts'

/** Has a page say the same of itself as the HTTP engine does, in every place. */
export function emulateDevice(deviceType: DeviceType, session: CdpSession, url: string): void {
  session.post('Emulation.setUserAgentOverride', userAgentOf(deviceType))
  hintFirst(session, clientHints(deviceType, new URL(url)))
}

/** The same for a worker, which waits for its first line. */
export function emulateDeviceInWorker(deviceType: DeviceType, worker: CdpSession): void {
  const userAgent = userAgentOf(deviceType)
  worker.post('Emulation.setUserAgentOverride', userAgent)
  worker.post('Runtime.evaluate', { expression: navigatorOf(userAgent) })
}

/** Those of the first request are chosen before the browser has heard whom it is to be. */
function hintFirst(session: CdpSession, hints: Readonly<Record<string, string>>): void {
  session.post('Network.setExtraHTTPHeaders', { headers: hints })
  let isFirst = true
  session.on('Network.requestWillBeSent', () => {
    if (isFirst) session.post('Network.setExtraHTTPHeaders', { headers: {} })
    isFirst = false
  })
}

/** What the browser overrides for pages only. */
const navigatorOf = ({
  userAgent,
  platform,
}: {
  userAgent: string
  platform?: string
}): string => `{
  const told = ${JSON.stringify({ userAgent, platform, appVersion: userAgent.replace('Mozilla/', '') })}
  for (const [name, value] of Object.entries(told)) {
    Object.defineProperty(WorkerNavigator.prototype, name, {
      get: () => value, configurable: true, enumerable: true,
    })
  }
}`
