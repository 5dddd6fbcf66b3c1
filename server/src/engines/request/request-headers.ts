import { forwardableHeaders } from '../../domain/forwarded-headers.ts'
import { type Device, type DeviceType, devices } from './devices.ts'

export type Headers = Readonly<Record<string, string>>

export interface HeaderProfile {
  deviceType: DeviceType
  isJson: boolean
  url: URL
}

/** The headers that Chrome sends, in its order. All requests of one kind share one object. */
export function chromeHeaders({ deviceType, isJson, url }: HeaderProfile): Headers {
  const { page, json } = headersByDevice[deviceType]
  return (isJson ? json : page)[isTrustworthy(url) ? 'trusted' : 'open']
}

/** The user-agent client hints that Chrome sends without being asked. */
export const clientHints = (deviceType: DeviceType, url: URL): Headers =>
  isTrustworthy(url) ? hintsOf(devices[deviceType]) : {}

/** The caller's own headers for the target: forwarded ones, and those given for it. */
export function callerHeaders({
  options,
  forwardedHeaders,
  target,
}: {
  options: { readonly keep_headers: boolean }
  forwardedHeaders: Headers
  target?: { headers: Headers } | undefined
}): Headers | undefined {
  const forwarded = options.keep_headers ? forwardableHeaders(forwardedHeaders) : undefined
  return target ? { ...forwarded, ...target.headers } : forwarded
}

/** The caller's values replace Chrome's of the same name; the caller's other headers come last. */
export function mergeHeaders(chrome: Headers, forwarded: Headers): Record<string, string> {
  const merged = { ...chrome, ...forwarded }
  if ('user-agent' in forwarded) {
    // Chrome's client hints would contradict the user agent of another browser.
    for (const name of hintNames) if (!(name in forwarded)) delete merged[name]
  }
  return merged
}

/** Browsers send client hints and `sec-fetch-*` only to potentially trustworthy origins. */
const isTrustworthy = (url: URL): boolean =>
  url.protocol === 'https:' || /^(localhost|127\..*|\[::1\])$/.test(url.hostname)

const hintNames = ['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform']

const acceptPage =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'
export const acceptJson = 'application/json, text/plain, */*'

/** The headers of a navigation from the address bar. */
function pageHeaders(device: Device, isTrusted: boolean): Headers {
  return {
    ...(isTrusted && hintsOf(device)),
    'upgrade-insecure-requests': '1',
    'user-agent': device.userAgent,
    accept: acceptPage,
    ...(isTrusted && {
      'sec-fetch-site': 'none',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-user': '?1',
      'sec-fetch-dest': 'document',
    }),
    ...negotiation,
  }
}

/** The headers of a page's `fetch` from its own origin. */
function jsonHeaders(device: Device, isTrusted: boolean): Headers {
  return {
    ...(isTrusted && hintsOf(device)),
    'user-agent': device.userAgent,
    accept: acceptJson,
    ...(isTrusted && {
      'sec-fetch-site': 'same-origin',
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'empty',
    }),
    ...negotiation,
  }
}

const hintsOf = ({ brands, isMobile, platform }: Device): Headers => ({
  'sec-ch-ua': brands,
  'sec-ch-ua-mobile': isMobile ? '?1' : '?0',
  'sec-ch-ua-platform': platform,
})

const negotiation = {
  'accept-encoding': 'gzip, deflate, br, zstd',
  'accept-language': 'en-US,en;q=0.9',
}

const headersByDevice = mapValues(devices, (device) => ({
  page: { trusted: pageHeaders(device, true), open: pageHeaders(device, false) },
  json: { trusted: jsonHeaders(device, true), open: jsonHeaders(device, false) },
}))

function mapValues<Key extends string, From, To>(
  record: Record<Key, From>,
  map: (value: From) => To,
): Record<Key, To> {
  const entries = Object.entries<From>(record).map(([key, value]) => [key, map(value)])
  return Object.fromEntries(entries)
}
