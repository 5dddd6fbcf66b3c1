/**
 * Runs in every frame before the page's own scripts. WebRTC would reach addresses past our way out,
 * a service worker would outlive the page, and a page that closes its window could not be read.
 */
export const hardeningScript = `{
  globalThis.close = function close() {}
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) {
    try { delete globalThis[name] } catch {}
  }
  const container = globalThis.ServiceWorkerContainer
  if (container) {
    container.prototype.register = function register() {
      return Promise.reject(new DOMException('Service workers are not available.', 'SecurityError'))
    }
  }
}`

/** Fills the storage of the target's origin; taken away once the page has it and may change it. */
export const storageScript = (
  origin: string,
  entries: Readonly<Record<string, string>>,
): string => `{
  if (location.origin === ${JSON.stringify(origin)}) {
    for (const [key, value] of Object.entries(${JSON.stringify(entries)})) {
      localStorage.setItem(key, value)
    }
  }
}`
