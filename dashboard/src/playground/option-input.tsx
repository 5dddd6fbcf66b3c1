import type { OptionField } from './option-fields.ts'

interface OptionInputProps {
  field: OptionField
  id: string
  draft: string
  describedBy: string
  isInvalid: boolean
  onChange: (draft: string) => void
}

/** What an option is entered with. Its name is the whole path, as short names occur twice. */
export function OptionInput(props: OptionInputProps) {
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
