import type { BrowserFlavor } from '../../install/browser-candidates.ts'
import { devices } from '../../request/devices.ts'

export interface LaunchFacts {
  flavor: BrowserFlavor
  sandbox: 'on' | 'off'
  /** The folder of the browser's profile (`--user-data-dir`). */
  profile: string
  /** The size of `/dev/shm`. With too little, tabs with large images crash. */
  sharedMemoryBytes: number
}

const sharedMemoryBytesMin = 512 * 2 ** 20

/** Chromium's command line. It turns off all that the browser does beside showing pages. */
export const launchArguments = ({
  flavor,
  sandbox,
  profile,
  sharedMemoryBytes,
}: LaunchFacts): string[] => [
  ...flavorArguments[flavor],
  ...(sandbox === 'off' ? ['--no-sandbox'] : []),
  ...(sharedMemoryBytes < sharedMemoryBytesMin ? ['--disable-dev-shm-usage'] : []),
  `--user-data-dir=${profile}`,
  `--disable-features=${featuresOff.join(',')}`,
  `--blink-settings=${blinkSettings.join(',')}`,
  ...egressArguments,
  ...renderingArguments,
  ...identityArguments,
  ...backgroundArguments,
]

const flavorArguments: Record<BrowserFlavor, string[]> = {
  // The shell would print the consoles of pages. It prints startup errors even without logging.
  shell: ['--enable-logging=none'],
  // Its first window would open the new tab page, which loads from the internet.
  chrome: ['--headless', '--no-startup-window'],
}

/**
 * The host name of all egress proxies, one that no site can have. A site with the same host as the
 * proxy could make the browser forget the proxy's credentials with `Clear-Site-Data`.
 */
export const proxyHost = 'egress-proxy.invalid'

/** Each context sets its own proxy. This default leads nowhere: requests without a proxy fail. */
const egressArguments = [
  `--proxy-server=http://${proxyHost}:1`,
  '--proxy-bypass-list=<-loopback>',
  `--host-resolver-rules=MAP ${proxyHost} 127.0.0.1 , MAP * ~NOTFOUND`,
  '--disable-quic',
  // The same switch twice: Chrome knows the first name, the headless shell only the second.
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
]

const renderingArguments = [
  // CDP over a pipe: any page could try to reach a port.
  '--remote-debugging-pipe',
  // A popup would start paused, like every new page, and block its opener.
  '--block-new-web-contents',
  // All frames of a task share one process. Site isolation has nothing to protect there: tasks
  // never share a context or a process. A frame in a process of its own, which response headers can
  // ask for, would be a separate CDP target that we do not observe.
  '--disable-site-isolation-trials',
  // Chromium throttles pages that are not visible, and ours never are.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // Screenshots look the same on every machine.
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // Memory for the tiles of a page. The default, half of it, leaves parts of large images blank.
  '--force-gpu-mem-available-mb=1024',
  '--mute-audio',
]

/** The default identity: an ordinary desktop browser. */
const identityArguments = [
  `--user-agent=${devices.desktop.userAgent}`,
  '--accept-lang=en-US,en',
  // `navigator.webdriver`
  '--disable-blink-features=AutomationControlled',
]

const backgroundArguments = [
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

/** A mouse, whose middle button pastes nothing: the clipboard may hold text of another task. */
const blinkSettings = [
  'primaryPointerType=4',
  'availablePointerTypes=4',
  'primaryHoverType=2',
  'availableHoverTypes=2',
  'middleClickPasteAllowed=false',
]

/** Must be one argument, like `--blink-settings`: of two, Chromium uses only the last. */
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
  // The address bar of a window has three pages of its own, more work than most pages.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
]
