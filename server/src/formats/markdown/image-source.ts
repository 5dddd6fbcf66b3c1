import { collapseSpace } from '../dom/collapse-space.ts'
import type { Element } from '../dom/dom.ts'
import { classOf } from './element-kinds.ts'
import { imageUrl } from './link-target.ts'

/** Where scripts that load images late keep the address, most telling first. */
const lazyAttributes = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-original-src',
  'data-full-src',
  'data-hi-res-src',
  'data-image-src',
  'data-url',
  'data-echo',
  'data-actualsrc',
]
const setAttributes = ['data-srcset', 'data-lazy-srcset', 'srcset']

const placeholder =
  /(?:^data:)|(?:^|[/_.-])(?:placeholder|blank|spacer|transparent|pixel|lazy|loading|1x1|grey|gray)[^/]*\.(?:gif|png|svg|jpe?g|webp)/i

/** The address of the picture that an `img` finally shows, or undefined if it shows none. */
export function imageSource(image: Element, baseUrl: string): string | undefined {
  if (isPixel(image)) return undefined
  const source = image.getAttribute('src')
  const lazy = lazyAttributes
    .map((name) => image.getAttribute(name))
    .find((value) => value && /[/.]/.test(value) && !value.startsWith('data:'))
  if (lazy) return imageUrl(lazy, baseUrl)
  if (source && !placeholder.test(source.slice(0, 1000))) return imageUrl(source, baseUrl)
  const set = setAttributes.map((name) => image.getAttribute(name)).find((value) => value)
  const chosen = largestOf(set) ?? largestOf(pictureSet(image))
  return imageUrl(chosen ?? anyLazySource(image) ?? source, baseUrl)
}

const imageAddress = /^(?:https?:\/)?\/\S{1,2000}\.(?:jpe?g|png|webp|gif|avif)(?:\?\S*)?$/i

/** Scripts invent further attributes; their value is an address of an image all the same. */
function anyLazySource(image: Element): string | undefined {
  for (const { name, value } of Array.from(image.attributes)) {
    if (name.startsWith('data-') && value.length < 3000 && imageAddress.test(value)) return value
  }
  return undefined
}

/** Counts visitors rather than showing something. */
function isPixel(image: Element): boolean {
  const width = image.getAttribute('width')
  const height = image.getAttribute('height')
  return /^[01]$/.test(width ?? '') && /^[01]$/.test(height ?? '')
}

/** The set of the `picture` around an image, whose own address may be missing. */
function pictureSet(image: Element): string | undefined {
  const picture = image.parentElement
  if (picture?.localName !== 'picture') return undefined
  for (let child = picture.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName !== 'source') continue
    const set = child.getAttribute('srcset') ?? child.getAttribute('data-srcset')
    if (set) return set
  }
  return undefined
}

const setCharactersMax = 20_000

/** The largest candidate of a `srcset`. A comma may be part of an address, so that spaces decide. */
function largestOf(set: string | null | undefined): string | undefined {
  if (!set || set.length > setCharactersMax) return undefined
  let best: string | undefined
  let bestSize = -1
  for (const candidate of set.trim().split(/,\s+|(?<=\d[wx]),/)) {
    const [url, descriptor = '1x'] = candidate.trim().split(/\s+/)
    const size = Number.parseFloat(descriptor) || 0
    if (url && !url.startsWith('data:') && size > bestSize) {
      best = url
      bestSize = size
    }
  }
  return best
}

const emoji = /(?:^|\s)(?:emoji|wp-smiley|emojione|twemoji|smil(?:ey|ies))(?:\s|$)/

/** An image that stands for a character; its alternative text is that character. */
export const isEmojiImage = (image: Element): boolean => emoji.test(classOf(image))

const formula = /(?:^|\s)(?:latex|tex|math|mimetex|equation|ee_img|mathtex)(?:\s|$)/i
const formulaService = /latex\.codecogs\.com|chart\?cht=tx|\/latex\.php\?|mimetex|math\/render/

/** An image of a formula, whose alternative text is its source in TeX. */
export const isFormulaImage = (image: Element): boolean =>
  formula.test(classOf(image)) ||
  formulaService.test((image.getAttribute('src') ?? '').slice(0, 300))

/** The source of a formula's image: its alternative text, or what the address asks the service to draw. */
export function formulaOf(image: Element): string {
  const alt = alternativeText(image)
  if (alt !== '') return alt
  const query = /(?:[?&]chl=|\.(?:latex|image|php)\?(?:latex=)?)([^&]{1,2000})/.exec(
    image.getAttribute('src') ?? '',
  )
  try {
    return decodeURIComponent((query?.[1] ?? '').replaceAll('+', '%20'))
  } catch {
    return ''
  }
}

const altCharactersMax = 2000

export const alternativeText = (image: Element): string =>
  collapseSpace((image.getAttribute('alt') ?? '').slice(0, altCharactersMax))
