import { memo, type ReactNode, useId } from 'react'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import type { OptionField } from './option-fields.ts'
import { OptionInput } from './option-input.tsx'

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
