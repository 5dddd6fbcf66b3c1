import { useState } from 'react'
import { Button } from './button.tsx'

/** Text to copy; `label` says what it is. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  const [outcome, setOutcome] = useState('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied.'),
      () => setOutcome('The browser did not allow it: select the text instead.'),
    )
  return (
    <div className="code-block">
      <section aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre tabIndex={0}>
          <code>{text}</code>
        </pre>
      </section>
      <div className="row">
        <Button onClick={() => void copy()} aria-label={`Copy: ${label}`}>
          Copy
        </Button>
        <span role="status" className="soft small">
          {outcome}
        </span>
      </div>
    </div>
  )
}
