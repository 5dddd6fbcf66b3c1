import { type ButtonHTMLAttributes, type InputHTMLAttributes, type ReactNode, useId } from 'react'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` is the one action of a form, `quiet` one beside other things. */
  kind?: 'main' | 'plain' | 'quiet'
}

export function Button({ kind = 'plain', type = 'button', ...rest }: ButtonProps) {
  return <button {...rest} type={type} className="button" data-kind={kind} />
}

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  hint?: string
}

/** An input with its label, required unless said otherwise. */
export function Field({ label, hint, required = true, ...input }: FieldProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint !== undefined && (
        <span id={`${id}-hint`} className="soft small">
          {hint}
        </span>
      )}
    </div>
  )
}

/** One of a few, or any. */
export function Choice(props: {
  label: string
  value: string | undefined
  options: readonly string[]
  onChange: (value: string) => void
}) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <select
        id={id}
        value={props.value ?? ''}
        onChange={({ target }) => props.onChange(target.value)}
      >
        <option value="">any</option>
        {props.options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  )
}

export type Tone = 'plain' | 'good' | 'warn' | 'bad'

/** A state in a word; the tone only repeats what the word says. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  )
}
