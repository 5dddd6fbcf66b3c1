import { Button } from '../parts/button.tsx'
import { countText } from '../parts/number-text.ts'
import { type Drafts, isSet } from './option-drafts.ts'
import type { OptionField } from './option-fields.ts'

/** What is sent beside the page, wherever in the form it stands. */
export function ChangedOptions(props: {
  fields: readonly OptionField[]
  drafts: Drafts
  onReset: (keys: readonly string[]) => void
}) {
  const { drafts, onReset } = props
  const changed = props.fields.filter((field) => !field.isRequired && isSet(field, drafts))
  if (changed.length === 0) {
    return <p className="soft small">Every option has its default.</p>
  }
  return (
    <section className="changed-options small" aria-label="Changed options">
      <div className="row apart">
        <span>
          {countText(changed.length)} {changed.length === 1 ? 'option differs' : 'options differ'}{' '}
          from the default
        </span>
        <Button kind="quiet" onClick={() => onReset(changed.map(({ key }) => key))}>
          Reset all
        </Button>
      </div>
      <ul>
        {changed.map(({ key }) => (
          <li key={key}>
            <code>{key}</code>: {shortText(drafts[key] ?? '')}
          </li>
        ))}
      </ul>
    </section>
  )
}

const charactersMax = 80

function shortText(draft: string): string {
  const line = draft
    .trim()
    .split(/\s*\n\s*/)
    .join(', ')
  return line.length > charactersMax ? `${line.slice(0, charactersMax)}…` : line
}
