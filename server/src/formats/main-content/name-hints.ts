import type { Element } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'

/**
 * Names are split at punctuation and capitals, so `shareBar-v2` has the words `share` and `bar`. A stem
 * also matches words that begin with it, for names without separators such as `sharebuttons`.
 */
export function readHints(element: Element): NameHints {
  const id = headingId.test(element.id) ? '' : element.id
  const names = `${element.className} ${id}`
  if (names === ' ') return none
  const known = cache.get(names)
  if (known) return known
  const hints = readNames(names.slice(0, namesCharsMax))
  if (cache.size >= cacheEntriesMax) cache.clear()
  cache.set(names, hints)
  return hints
}

const namesCharsMax = 500
// Pages repeat few names on many elements.
const cache = new Map<string, NameHints>()
const cacheEntriesMax = 2_000

const surroundings = wordSet(`
  ad ads adv advert adverts advertisement advertising adsense adunit adslot sponsored sponsor sponsors
  promo promos promotion promotions promoted promobox
  nav navbar navigation menu submenu breadcrumb breadcrumbs pagination pager paging paginator
  footer foot rodape masthead topbar toolbar sidebar sidebars rail aside offcanvas
  share sharing shares sharer sharebar shareline addthis addtoany sharethis sharedaddy social socials
  follow followus facebook twitter whatsapp pinterest linkedin
  related recommended recommendations recommendation recommend recirc recirculation readnext upnext
  outbrain taboola mostread mostpopular alsoread readalso seealso
  morenews newsletter newsletters subscribe subscription signup optin mailchimp cta
  cookie cookies consent gdpr cookiebar popup popover modal overlay lightbox dialog tooltip toast snackbar
  login signin register donate donation noprint tags taglist hashtags
  disclaimer rating ratings poll quiz toc tableofcontents actions
`)
/** Words that are also used for leads and for sections of the content. */
const linkLists = wordSet('teaser teasers popular trending latest')
const surroundingStem =
  /^(?:advert|breadcrumb|newsletter|subscri|related(?:post|art|cont|news|stor)|recommend|recirc|share(?:button|tool|link|box|icon|post)|social(?:share|media|link|icon|bar)|outbrain|taboola|cookie(?:consent|banner|notice)|sidebar|paginat|mostread|mostpopular|morefrom|addtoany|addthis|navbar|vote)/
/** Both together name the links to the articles before and after this one. */
const followingWords = wordSet('next newer')
const precedingWords = wordSet('prev previous older')
/** Page builders put `widget` into longer class names of everything, the content included. */
const surroundingClass = /(?:^|\s)(?:widgets?|widget_\S+|widget-area)(?:\s|$)/i

const discussions = wordSet(
  'comment comments commentlist commentform commenting disqus respond livefyre kommentar kommentare commentaires comentarios',
)
const bylines = wordSet(`
  byline bylines dateline timestamp credit credits meta metadata postmeta author authors authorbox bio
  biography published pubdate date datetime postdate readtime permalink eyebrow kicker tag dek deck subtitle subhead
  subheadline standfirst strapline
`)
const captions = wordSet('caption captions imagecaption credit credits copyright')
const galleryPart = /gallery|slideshow|carousel|slider|galleria/
const appendices = wordSet(
  'references bibliography footnotes disclaimer reviews review featured answers figure media image header',
)
const contents = wordSet(`
  article articlebody post entry content contents story body text main blogpost hentry prose markdown
  page copy richtext wysiwyg document product recipe
`)
const bodyName =
  /(?:^|[\s_-])(?:(?:article|post|entry|story|blog|news|content|page)(?:[-_]{1,2}(?:single|main|full|detail))?[-_]{0,2}(?:body|content|text|copy)|text-formatted|field--name-body|articlebody|postbody|storybody|bodytext|body-text|body-copy|rich-?text|mw-parser-output|markdown-body)(?:$|[\s_-])/i

const callouts = wordSet('callout admonition note tip hint warning caution danger important')

const footnoteName = /(?:^|[\s_-])(?:foot-?notes?|end-?notes?|side-?notes?|fn)(?:$|[\s_:-])/i

/** Classes that describe a post or a layout rather than the element: `tag-berlin`, `has-sidebar`. */
const descriptive =
  /^(?:tag|category|cat|has|no|not|with|without|type|status|format|js|is|u|hide|show|overflow|lg|md|sm|xl)[-_:]/i

/** An id made from the words of a heading: `sharing-with-a-single-developer`. */
const headingId = /^\p{L}+(?:-[\p{L}\p{N}]+){3,}$/u

const none = readNames('')

/** What the class and the id of an element say about it. */
export type NameHints = ReturnType<typeof readNames>

function readNames(names: string) {
  const words = splitNames(names)
  const hasOne = (set: ReadonlySet<string>): boolean => words.some((word) => set.has(word))
  return {
    /** Navigation, advertisements, sharing, related articles and the like. */
    isSurrounding:
      hasOne(surroundings) ||
      surroundingClass.test(names) ||
      (hasOne(followingWords) && hasOne(precedingWords)) ||
      words.some((word) => surroundingStem.test(word)),
    /** A surrounding if it consists of links. */
    isLinkList: hasOne(linkLists),
    /** What readers wrote below the content. */
    isDiscussion: hasOne(discussions),
    /** Facts about an article that stand around its text. */
    isByline: hasOne(bylines),
    isCaption: hasOne(captions),
    isGallery: words.some((word) => galleryPart.test(word)),
    /** Follows the text and may be longer than it. */
    isAppendix: hasOne(appendices),
    isContent: hasOne(contents),
    /** A container for nothing but the text of an article. */
    isBody: bodyName.test(names),
    isFootnote: footnoteName.test(names),
    /** A note or a warning that a manual sets apart from its text. */
    isCallout: hasOne(callouts),
    isFormula: /katex|mathjax|mjx|mwe-math/i.test(names),
  }
}

function splitNames(names: string): string[] {
  return names
    .split(/\s+/)
    .filter((name) => !descriptive.test(name))
    .flatMap((name) =>
      name
        .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
        .toLowerCase()
        .split(/[^\p{L}]+/u),
    )
    .filter((word) => word.length > 1)
}
