import { Button } from '../parts/button.tsx'
import { countText } from '../parts/number-text.ts'

/** More text makes the page slow, and nobody reads it here. */
export const shownCharactersMax = 200_000

/** Text of a stranger, cut at a length; the whole can be saved as a file. */
export function ResultText(props: {
  label: string
  text: string
  /** Said where the text was cut before. */
  isCut?: boolean
  file: { name: string; whole: () => string }
}) {
  const { label, text, file } = props
  const shown = text.slice(0, shownCharactersMax)
  const isCut = props.isCut || shown.length < text.length
  return (
    <div className="stack">
      <div className="row">
        <Button onClick={() => saveText(file.name, file.whole())}>Download {file.name}</Button>
        {isCut && (
          <span className="soft small">
            The first {countText(shown.length)} characters are shown; the file has all.
          </span>
        )}
      </div>
      <section aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre className="result-text" tabIndex={0}>
          {shown}
        </pre>
      </section>
    </div>
  )
}

function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
