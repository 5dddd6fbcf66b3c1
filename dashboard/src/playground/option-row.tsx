import { memo, type ReactNode, useId } from 'react'
import { Badge, Button } from '../parts/controls.tsx'
import type { OptionField } from './option-fields.ts'

/** An option with what it means, its default, and whether it differs from that. */
export const OptionRow = memo(function OptionRow(props: {
  field: OptionField
  draft: string
  isChanged: boolean
  fault: string | undefined
  onChange: (key: string, draft: string) => void
}) {
  const { field, draft, isChanged, fault, onChange } = props
  const id = useId()
  const { key, path, description } = field
  return (
    <div className="field option" data-changed={isChanged || undefined}>
      <div className="row apart">
        <label htmlFor={id}>
          <code>{path.at(-1)}</code>
        </label>
        {isChanged && !field.isRequired && (
          <span className="row">
            <Badge tone="warn">changed</Badge>
            <Button kind="quiet" onClick={() => onChange(key, '')} aria-label={`Reset ${key}`}>
              Reset
            </Button>
          </span>
        )}
      </div>
      <OptionInput
        field={field}
        id={id}
        draft={draft}
        describedBy={`${id}-about`}
        isInvalid={fault !== undefined}
        onChange={(next) => onChange(key, next)}
      />
      <div id={`${id}-about`} className="small">
        {fault !== undefined && <p className="fault">{fault}</p>}
        <p className="soft">
          {withCode(description)} {defaultNote(field)}
        </p>
      </div>
    </div>
  )
})

/** Descriptions have names in backticks, as Markdown has. */
const withCode = (text: string): ReactNode[] =>
  text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  )

function defaultNote({ default: byDefault, isRequired, kind }: OptionField): string {
  if (isRequired) return 'Required.'
  if (byDefault === undefined) return 'Not set by default.'
  if (kind === 'flag') return `Default: ${byDefault ? 'on' : 'off'}.`
  if (kind === 'choices') return `Default: ${(byDefault as unknown[]).join(', ')}.`
  return `Default: ${typeof byDefault === 'string' ? byDefault : JSON.stringify(byDefault)}.`
}

interface OptionInputProps {
  field: OptionField
  id: string
  draft: string
  describedBy: string
  isInvalid: boolean
  onChange: (draft: string) => void
}

/** What an option is entered with. Its name is the whole path, as short names occur twice. */
function OptionInput(props: OptionInputProps) {
  const { field, id, draft, describedBy, isInvalid, onChange } = props
  const shared = {
    id,
    'aria-label': field.key,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid || undefined,
  }
  const onInput = ({ target }: { target: { value: string } }) => onChange(target.value)
  switch (field.kind) {
    case 'flag':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={(draft || String(field.default)) === 'true'}
          onChange={({ target }) => onChange(String(target.checked))}
        />
      )
    case 'choice':
      return (
        <select {...shared} value={draft} onChange={onInput}>
          <option value="">{defaultText(field)}</option>
          {field.choices.map((choice) => (
            <option key={String(choice)} value={String(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      )
    case 'choices':
      return <ChoicesInput {...props} />
    case 'number':
    case 'text':
      return (
        <input
          {...shared}
          inputMode={field.kind === 'number' ? 'decimal' : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder={field.default === undefined ? undefined : String(field.default)}
          value={draft}
          onChange={onInput}
        />
      )
    default:
      return (
        <textarea
          {...shared}
          rows={Math.min(12, Math.max(2, draft.split('\n').length))}
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholders[field.kind]}
          value={draft}
          onChange={onInput}
        />
      )
  }
}

const placeholders = { lines: 'one a line', json: 'JSON', any: 'text or JSON' }

/** As the select shows what is not set. */
const defaultText = ({ default: byDefault }: OptionField): string =>
  byDefault === undefined ? 'not set' : `default: ${byDefault}`

function ChoicesInput({ field, id, draft, describedBy, onChange }: OptionInputProps) {
  const byDefault = Array.isArray(field.default) ? field.default.map(String) : []
  const chosen = new Set(draft === '' ? byDefault : draft.split('\n'))
  const toggle = (choice: string) => {
    const next = chosen.symmetricDifference(new Set([choice]))
    onChange([...next].join('\n'))
  }
  return (
    <fieldset className="choices" id={id} aria-label={field.key} aria-describedby={describedBy}>
      {field.choices.map(String).map((choice) => (
        <label key={choice}>
          <input type="checkbox" checked={chosen.has(choice)} onChange={() => toggle(choice)} />{' '}
          {choice}
        </label>
      ))}
    </fieldset>
  )
}
