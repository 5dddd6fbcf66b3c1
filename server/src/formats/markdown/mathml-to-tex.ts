import { type Element, isElement, nodeTypes } from '../dom/dom.ts'

const depthMax = 60

/** Signs that TeX writes with a command; others stand as they are. */
const commands: Record<string, string> = {
  '∑': '\\sum',
  '∏': '\\prod',
  '∫': '\\int',
  '∞': '\\infty',
  '≤': '\\le',
  '≥': '\\ge',
  '≠': '\\ne',
  '≈': '\\approx',
  '±': '\\pm',
  '×': '\\times',
  '⋅': '\\cdot',
  '·': '\\cdot',
  '→': '\\to',
  '∈': '\\in',
  '∂': '\\partial',
  '∇': '\\nabla',
  '√': '\\sqrt',
  '…': '\\dots',
  '−': '-',
  '\u2061': '',
  '\u2062': '',
  '\u2063': ',',
  '{': '\\{',
  '}': '\\}',
  α: '\\alpha',
  β: '\\beta',
  γ: '\\gamma',
  δ: '\\delta',
  ε: '\\epsilon',
  θ: '\\theta',
  λ: '\\lambda',
  μ: '\\mu',
  π: '\\pi',
  ρ: '\\rho',
  σ: '\\sigma',
  τ: '\\tau',
  φ: '\\phi',
  ω: '\\omega',
  Γ: '\\Gamma',
  Δ: '\\Delta',
  Σ: '\\Sigma',
  Ω: '\\Omega',
}

/** Signs above a symbol. */
const accents: Record<string, string> = {
  '^': '\\hat',
  ˆ: '\\hat',
  '~': '\\tilde',
  '˜': '\\tilde',
  '˙': '\\dot',
  '¨': '\\ddot',
  '\\to': '\\vec',
  '¯': '\\bar',
  '‾': '\\overline',
  '―': '\\overline',
  '⏞': '\\overbrace',
}

type Parts = string[]
const group = (text: string | undefined): string =>
  text !== undefined && /^.$/u.test(text) ? text : `{${text ?? ''}}`

/** How an element is written, from the TeX of its children. */
const forms: Record<string, (parts: Parts) => string> = {
  mfrac: ([over, under]) => `\\frac{${over ?? ''}}{${under ?? ''}}`,
  msqrt: (parts) => `\\sqrt{${parts.join(' ')}}`,
  mroot: ([radicand, index]) => `\\sqrt[${index ?? ''}]{${radicand ?? ''}}`,
  msup: ([base, sup]) => `${base ?? ''}^${group(sup)}`,
  msub: ([base, sub]) => `${base ?? ''}_${group(sub)}`,
  msubsup: ([base, sub, sup]) => `${base ?? ''}_${group(sub)}^${group(sup)}`,
  munder: ([base, under]) => `${base ?? ''}_${group(under)}`,
  mover: ([base, over]) => {
    const accent = accents[over ?? '']
    return accent ? `${accent}{${base ?? ''}}` : `${base ?? ''}^${group(over)}`
  },
  munderover: ([base, under, over]) => `${base ?? ''}_${group(under)}^${group(over)}`,
  mtable: (parts) => `\\begin{matrix} ${parts.join(' \\\\ ')} \\end{matrix}`,
  mtr: (parts) => parts.join(' & '),
  mtext: (parts) => `\\text{${parts.join('')}}`,
}

/** Presentation MathML as TeX, for formulas that carry no source of their own. */
export function mathmlToTex(element: Element, depth = 0): string {
  const name = element.localName
  if (name === 'annotation' || name === 'annotation-xml' || depth > depthMax) return ''
  const parts: string[] = []
  for (let child = element.firstChild; child; child = child.nextSibling) {
    if (isElement(child)) parts.push(mathmlToTex(child, depth + 1))
    else if (child.nodeType === nodeTypes.text) {
      const text = (child.nodeValue ?? '').replace(/\s+/g, ' ')
      const kept = name === 'mtext' ? text : text.trim()
      if (kept !== '') parts.push(commands[kept] ?? kept)
    }
  }
  return forms[name]?.(parts) ?? parts.filter((part) => part !== '').join(' ')
}
