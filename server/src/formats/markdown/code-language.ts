import { type Element, isElement, nextNode } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { classOf } from './element-kinds.ts'

/** How highlighters name the language in a class, each with the language as its group. */
const classForms = [
  /(?:^|\s)(?:language|lang)-([^\s:{]+)/i,
  /(?:^|\s)highlight-(?:source|text)-([^\s]+)/i,
  /(?:^|\s)brush:\s*["']?([^\s;"']+)/i,
  /(?:^|\s)lang:([^\s]+)/i,
  /(?:^|\s)src-([^\s]+)/,
  /(?:^|\s)sourceCode\s+(?:number\w+\s+)*(?!number)([a-z][^\s]*)/,
  /(?:^|\s)highlight-(?!wrap|line|table|code|block)([a-z][\w+#-]*)\s+notranslate/,
  /(?:^|\s)syntaxhighlighter\s+(?:nogutter\s+)?([a-z]\w*)/,
]

/** A word beside these may be a language or anything else, so that only well-known names count. */
const looseForms = [
  /(?:^|\s)hl-([a-z][\w+#-]*)(?:\s|$)/,
  /(?:^|\s)highlight-([a-z][\w+#-]*)(?:\s|$)/,
  /(?:^|\s)(?:hljs|highlight|code|prettyprint|programlisting)\s+([a-z][\w+#-]*)(?:\s|$)/,
]
const firstWord = /^([a-z][\w+#-]*)(?:\s|$)/

const known = wordSet(
  'bash shell sh zsh console powershell javascript js jsx typescript ts tsx json yaml yml toml ini xml html css scss less sass python py ruby rb rust go golang java kotlin scala groovy clojure c cpp c++ csharp cs objectivec swift dart php perl lua r julia matlab haskell elixir erlang ocaml fsharp sql mysql postgresql graphql dockerfile docker makefile cmake nginx diff markdown latex tex vim lisp elm zig solidity terraform hcl protobuf asm wasm vue svelte text',
)

const attributes = [
  'data-lang',
  'data-language',
  'data-code-language',
  'data-enlighter-language',
  'data-code-lang',
  'syntax',
  'language',
]

const noLanguage = wordSet(
  'none plaintext default notranslate nohighlight no-highlight auto undefined null code block wrap copy plain hljs highlight chroma line-numbers table numbers lines with-line-numbers js-syntax-highlight',
)

/** Names of human languages that a class such as `lang-de` on a wrapper means. */
const humanLanguages =
  /^(?:ar|bg|ca|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|nb|nl|no|pl|pt|ro|ru|sk|sl|sr|sv|th|tr|uk|vi|zh)(?:[-_][a-z]{2,4})?$/i

const ancestorsMax = 5
const searchedMax = 2000
const codeHolders = new Set(['code', 'pre', 'div'])
const wrapperEnds = new Set(['body', 'article', 'main', 'td', 'li', 'html'])

/** The language of a code block: on the block, on its code, or on a wrapper that holds little else. */
export function codeLanguage(block: Element): string {
  const own = languageOf(block) ?? languageInside(block)
  if (own !== undefined) return own
  let wrapper = block.parentElement
  for (let level = 0; wrapper && level < ancestorsMax; level++, wrapper = wrapper.parentElement) {
    if (wrapperEnds.has(wrapper.localName)) break
    const language = languageOf(wrapper)
    if (language !== undefined && !humanLanguages.test(language)) return language
  }
  return ''
}

/** The first `code` or `pre` inside that names its language; a gutter of line numbers may come before it. */
function languageInside(block: Element): string | undefined {
  let node = nextNode(block, block)
  for (let seen = 0; node && seen < searchedMax; seen++, node = nextNode(node, block)) {
    if (!isElement(node)) continue
    if (!codeHolders.has(node.localName)) continue
    const language = languageOf(node)
    if (language !== undefined) return language
  }
  return undefined
}

function languageOf(element: Element): string | undefined {
  for (const name of attributes) {
    const language = clean(element.getAttribute(name))
    if (language) return language
  }
  const isCode = element.localName === 'pre' || element.localName === 'code'
  const params = element.getAttribute('data-syntaxhighlighter-params') ?? ''
  for (const text of [classOf(element).slice(0, 1000), params.slice(0, 1000)]) {
    if (text === '') continue
    for (const form of classForms) {
      const language = clean(form.exec(text)?.[1])
      if (language) return language
    }
    for (const form of isCode ? [...looseForms, firstWord] : looseForms) {
      const language = clean(form.exec(text)?.[1])
      if (language && known.has(language)) return language
    }
  }
  const lang = element.getAttribute('lang')
  return isCode && lang && !humanLanguages.test(lang) ? clean(lang) : undefined
}

function clean(found: string | null | undefined): string | undefined {
  if (!found || found.length > 40) return undefined
  const language = found
    .trim()
    .toLowerCase()
    .replace(/^(?:language|lang)-/, '')
    .replace(/^html-basic$/, 'html')
    .replace(/^ipython\d?$/, 'python')
    .replace(/[,;].*$/, '')
  return /^[a-z\d][\w+#.*/-]*$/.test(language) && !noLanguage.has(language) ? language : undefined
}
