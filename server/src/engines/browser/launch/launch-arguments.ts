import type { BrowserFlavor } from '../../install/browser-candidates.ts'
import { devices } from '../../request/devices.ts'

export interface LaunchFacts {
  flavor: BrowserFlavor
  sandbox: 'on' | 'off'
  /** Where everything of this browser lies. */
  profile: string
  /** Less makes tabs crash that share large pictures. */
  sharedMemoryBytes: number
}

const sharedMemoryBytesMin = 512 * 2 ** 20

/** How the browser is started. Whatever it could do by itself, beside the page it is shown, is off. */
export const launchArguments = ({
  flavor,
  sandbox,
  profile,
  sharedMemoryBytes,
}: LaunchFacts): string[] => [
  // The shell would print what pages write to their consoles; what keeps it from starting it says anyway.
  flavor === 'chrome' ? '--headless' : '--enable-logging=none',
  ...(sandbox === 'off' ? ['--no-sandbox'] : []),
  ...(sharedMemoryBytes < sharedMemoryBytesMin ? ['--disable-dev-shm-usage'] : []),
  `--user-data-dir=${profile}`,
  `--disable-features=${featuresOff.join(',')}`,
  `--blink-settings=${blinkSettings.join(',')}`,
  ...onlyWayOut,
  ...asked,
  ...ordinary,
  ...silent,
]

/**
 * The host of the proxies in the eyes of the browser: a name that no site has. A site at their address
 * could have the browser forget their credentials, by `Clear-Site-Data`.
 */
export const proxyHost = 'egress-proxy.invalid'

/** A page's context names its own proxy. This one leads nowhere, so that whatever names none fails. */
const onlyWayOut = [
  `--proxy-server=http://${proxyHost}:1`,
  '--proxy-bypass-list=<-loopback>',
  `--host-resolver-rules=MAP ${proxyHost} 127.0.0.1 , MAP * ~NOTFOUND`,
  '--disable-quic',
  // Two spellings of one thing: the first is Chrome's, the second all that the shell understands.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
]

const asked = [
  // A pipe, never a port: any page could try to reach it.
  '--remote-debugging-pipe',
  // A window that a page opens would wait for us as its page did, and its opener with it.
  '--block-new-web-contents',
  // One process for all frames of a task: every task has a context of its own, and its processes end
  // with it, so that nothing of another task is there to be kept from a frame. A frame in a process of
  // its own, which it may ask for by its headers, would be out of our sight.
  '--disable-site-isolation-trials',
  // Pages are looked at by nobody, and must not be slowed down for it.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // The same picture on every machine.
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // For the tiles of a page. Half as much, the default, leaves the lower parts of large images blank.
  '--force-gpu-mem-available-mb=1024',
  '--mute-audio',
]

/** Where a page does not say otherwise, it is in a usual browser on a desk, with a mouse. */
const ordinary = [
  `--user-agent=${devices.desktop.userAgent}`,
  '--accept-lang=en-US,en',
  // `navigator.webdriver`
  '--disable-blink-features=AutomationControlled',
]

const silent = [
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-hang-monitor',
  '--disable-prompt-on-repost',
  '--disable-sync',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
]

/** One list, as below. A mouse, and nothing pasted with its middle button: that may be another task's. */
const blinkSettings = [
  'primaryPointerType=4',
  'availablePointerTypes=4',
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'middleClickPasteAllowed=false',
]

/** One list: of two, the last would win. */
const featuresOff = [
  'AutofillServerCommunication',
  'BackForwardCache',
  'CertificateTransparencyComponentUpdater',
  'HttpsUpgrades',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ProcessPerSiteUpToMainFrameThreshold',
  'Translate',
]
