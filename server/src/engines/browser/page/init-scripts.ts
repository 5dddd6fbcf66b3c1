/**
 * Runs in every frame before the page's own scripts. WebRTC could bypass the egress proxy (SSRF), a
 * service worker would outlive the page, and a page that has closed its window could not be read.
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

/** Fills the localStorage of the target's origin, for the first document only. */
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
