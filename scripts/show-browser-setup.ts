import type { PresentBrowser } from '../server/src/engines/install/ensure-browser.ts'

/** Tells a person who waits what becomes of the browser; quiet when it is there already. */
export function showBrowserSetup(): { show: (present: PresentBrowser) => void } & Disposable {
  const line = '[setup] browser ........ '
  const startedAtMs = performance.now()
  const seconds = () => Math.round((performance.now() - startedAtMs) / 1000)
  let ticking: NodeJS.Timeout | undefined

  return {
    show({ state, version, reason }) {
      if (state === 'installing') {
        console.error(`${line}${reason}, because the tests need it`)
        ticking = setInterval(() => console.error(`${line}${seconds()} s`), 10_000)
      } else if (state === 'absent') console.error(`${line}${reason}`)
      else if (ticking) console.error(`${line}Chromium ${version} after ${seconds()} s`)
    },
    [Symbol.dispose]: () => clearInterval(ticking),
  }
}
