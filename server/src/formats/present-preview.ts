import { Failure } from '../domain/failure.ts'
import type { PreviewFormat } from '../domain/task/preview.ts'
import { inertMarkup } from './dom/inert-markup.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'

/** Characters; beyond them a person reads nothing, and a browser takes seconds. */
const charactersMax: Record<PreviewFormat, number> = { html: 4 * 2 ** 20, markdown: 2 ** 19 }

/** An HTML document that shows the `data` of an extraction to a person; it belongs into a sandbox. */
export function presentPreview(data: Uint8Array, format: PreviewFormat): Buffer {
  const whole = (JSON.parse(Buffer.from(data).toString('utf8')) as PreviewedData)[format]
  if (whole === null) throw new Failure('NOT_FOUND', `This task has no ${format} to show.`)
  const text = whole.slice(0, charactersMax[format])
  const isCut = text.length < whole.length
  return Buffer.from(format === 'html' ? inertMarkup(text) : markdownPage(text, isCut))
}

type PreviewedData = Record<PreviewFormat, string | null>

const markdownPage = (markdown: string, isCut: boolean): string =>
  `<!doctype html>
<html lang="und"><head><meta charset="utf-8"><title>Markdown</title><style>${style}</style></head>
<body>
${renderMarkdown(markdown)}${isCut ? '<hr><p>The rest is left out.</p>' : ''}</body></html>
`

const style = `:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; max-width: 50rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: anywhere }
pre, code { font: 14px/1.5 ui-monospace, monospace } pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid #8886; border-radius: .5rem }
table { border-collapse: collapse } th, td { border: 1px solid #8886; padding: .3rem .6rem; text-align: left }
blockquote { margin: 0; padding-left: 1rem; border-left: .25rem solid #8886 } img { max-width: 100% }`
