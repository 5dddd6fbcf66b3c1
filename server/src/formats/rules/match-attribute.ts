import { parseUrl } from '../../domain/parse-url.ts'
import { collapseSpace } from '../dom/collapse-space.ts'

/** The attributes of HTML that hold one URL. */
const urlAttributes = new Set([
  'action',
  'background',
  'cite',
  'data',
  'formaction',
  'href',
  'icon',
  'longdesc',
  'manifest',
  'poster',
  'src',
  'usemap',
  'xlink:href',
])

const srcsetAttributes = new Set(['srcset', 'imagesrcset'])

/** Longer values are no addresses: images in `data:` URLs, mostly, which stay as they are. */
const urlCharactersMax = 8_192

/** The value of an attribute as a result shows it: URLs absolute, other text without space around it. */
export function matchAttribute(name: string, value: string, baseUrl: string): string {
  if (srcsetAttributes.has(name)) return absoluteSrcset(value, baseUrl)
  return urlAttributes.has(name) ? absolute(value, baseUrl) : value.trim()
}

/** Any scheme is kept, `mailto:` too; what is no URL stays as the page wrote it. */
function absolute(value: string, baseUrl: string): string {
  const trimmed = value.trim()
  if (trimmed === '' || trimmed.length > urlCharactersMax) return trimmed
  return parseUrl(trimmed, baseUrl)?.href ?? trimmed
}

/** Candidates are a URL, which may contain commas, and a descriptor: `a.png 1x, b.png 2x`. */
function absoluteSrcset(value: string, baseUrl: string): string {
  const candidates: string[] = []
  const start = /[^\s,]/g
  for (let found = start.exec(value); found; found = start.exec(value)) {
    const url = /\S*/y
    url.lastIndex = found.index
    const written = url.exec(value)?.[0] ?? ''
    // A comma at the end of the URL means that no descriptor follows.
    const comma = value.indexOf(',', url.lastIndex - (written.endsWith(',') ? 1 : 0))
    const end = comma < 0 ? value.length : Math.max(comma, url.lastIndex)
    const descriptor = collapseSpace(value.slice(url.lastIndex, end))
    candidates.push(`${absolute(withoutCommas(written), baseUrl)} ${descriptor}`.trim())
    start.lastIndex = end
  }
  return candidates.join(', ')
}

function withoutCommas(url: string): string {
  let end = url.length
  while (end > 0 && url[end - 1] === ',') end--
  return url.slice(0, end)
}
