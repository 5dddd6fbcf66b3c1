import { createHash } from 'node:crypto'
import { z } from 'zod'
import { RouteResponse } from '../route.ts'

/** Text that is HTML already. Other values in the `html` template are escaped (XSS). */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type { Html }

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => entities[mark] ?? '')

export function html(strings: TemplateStringsArray, ...values: (Html | Html[] | string)[]): Html {
  const written = values.map((value) => {
    if (typeof value === 'string') return escaped(value)
    return Array.isArray(value) ? value.map((one) => one.text).join('\n') : value.text
  })
  return new Html(String.raw({ raw: strings }, ...written))
}

/** Escaped text in which `backticks` become <code>. */
export const prose = (text: string): Html =>
  new Html(escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>'))

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent);
  --soft: color-mix(in srgb, currentColor 6%, transparent); --accent: #0a7ea4 }
* { box-sizing: border-box }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem }
h1 { margin: 0 0 .25rem; font-size: 2rem } h2 { margin-top: 2.5rem } h3 { margin: 2rem 0 .5rem }
code, pre { font: 14px/1.5 ui-monospace, monospace }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .5rem; padding: .9rem 1rem; overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem } th, td { text-align: left; vertical-align: top;
  padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line) }
a { color: var(--accent) } .soft { opacity: .7 } .method { color: var(--accent); font-weight: 600 }
fieldset, details.try { border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 1rem 0 }
details.try > summary { cursor: pointer; color: var(--accent) }
label { display: block; margin: .5rem 0 } input, select, textarea { display: block; width: 100%; font: 14px/1.5 ui-monospace, monospace;
  color: inherit; background: Field; border: 1px solid var(--line); border-radius: .3rem; padding: .35rem .5rem }
button { font: inherit; padding: .3rem 1rem; border-radius: .3rem; border: 1px solid var(--line); cursor: pointer }
button:disabled { opacity: .5; cursor: default } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
pre.response, pre.headers { max-height: 30rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere }
.state { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; border: 1px solid var(--line) }
.state.ok { color: #14804a } .state.degraded { color: #a15c00 } .state.unavailable { color: #c62828 }
`

const styleHash = createHash('sha256').update(style).digest('base64')

/** A script of the page: within it, or at a path of its own. */
interface PageScript {
  text: string
  hash: string
  path?: string
}

export const hashedScript = (text: string): PageScript => ({
  text,
  hash: `sha256-${createHash('sha256').update(text).digest('base64')}`,
})

/** Allows our own style sheet only: no other origin, and no script but the one of this hash. */
const contentSecurityPolicy = (script: PageScript | undefined): string =>
  [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${styleHash}'`,
    ...(script
      ? [
          `script-src '${script.hash}'`,
          "connect-src 'self'",
          // Text can then never become HTML, whatever the script does with a response (XSS).
          "require-trusted-types-for 'script'",
          "trusted-types 'none'",
        ]
      : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** How a route that responds with a page declares it. */
export const pageResponse = {
  description: 'The page.',
  contentType: 'text/html; charset=utf-8',
  body: z.string(),
}

export function page(title: string, content: Html, script?: PageScript): RouteResponse {
  const loading = script ? scriptElement(script) : ''
  const document = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>${title}</title><style>${new Html(style)}</style>${loading}</head>
<body>
${content}
</body>
</html>
`
  return new RouteResponse(document.text, {
    headers: { 'content-security-policy': contentSecurityPolicy(script) },
  })
}

const scriptElement = ({ path, hash, text }: PageScript): Html =>
  path === undefined
    ? html`<script>${new Html(text)}</script>`
    : html`<script src="${path}" integrity="${hash}" defer></script>`
