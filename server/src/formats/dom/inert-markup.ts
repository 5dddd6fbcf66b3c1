import { wordSet } from '../word-set.ts'

/**
 * Markup in which only elements of the list below keep their names. A content security policy does not
 * keep `<link rel=preconnect>` from connecting to a foreign host, and `<meta>` can undo headers. What a tag
 * is depends on who reads it: of two attributes of one name the parser takes the first and the preload
 * scanner the last, and neither agrees with the other on what is text. So the rule is about the characters
 * alone: whatever reads them, no other element can come of them.
 */
export const inertMarkup = (html: string): string =>
  html.replace(/<(\/?)([a-z][^\t\n\f\r /><]*)/gi, (tag, slash: string, name: string) => {
    const known = name.toLowerCase()
    if (kept.has(known) || known.includes('-')) return tag
    return `<${slash}${withoutContent.has(known) ? inertVoid : `x-${name}`}`
  })

/** An element that has no content, may stand in the head, and has no meaning to any browser of today. */
const inertVoid = 'bgsound'

const withoutContent = wordSet('base basefont command embed frame keygen link meta param')

const kept = wordSet(`
  html head title body style script noscript template
  address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section search
  blockquote dd div dl dt figcaption figure hr li menu ol p pre ul center dir listing xmp plaintext
  a abbr b bdi bdo br cite code data dfn em i kbd mark q rp rt rtc rb ruby s samp small span strong sub
  sup time u var wbr acronym big blink font marquee nobr spacer strike tt
  area audio bgsound canvas image img map picture source track video
  caption col colgroup table tbody td tfoot th thead tr
  button datalist fieldset form input label legend meter optgroup option output progress select
  selectedcontent textarea details dialog summary slot del ins noembed noframes

  svg g defs desc symbol use switch path rect circle ellipse line polyline polygon text tspan
  textpath marker pattern clippath mask lineargradient radialgradient stop filter view foreignobject
  metadata animate animatemotion animatetransform mpath set feblend fecolormatrix fecomponenttransfer
  fecomposite feconvolvematrix fediffuselighting fedisplacementmap fedistantlight fedropshadow feflood
  fefunca fefuncb fefuncg fefuncr fegaussianblur feimage femerge femergenode femorphology feoffset
  fepointlight fespecularlighting fespotlight fetile feturbulence

  math maction merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow
  ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics annotation
`)
