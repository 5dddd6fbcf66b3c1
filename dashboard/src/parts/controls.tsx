import { useMutation } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useId } from 'react'

export interface ButtonProps extends ComponentProps<'button'> {
  /** `main` is the one action of a form, `quiet` one beside other things. */
  kind?: 'main' | 'plain' | 'quiet'
}

export function Button({ kind = 'plain', type = 'button', ...rest }: ButtonProps) {
  return <button {...rest} type={type} className="button" data-kind={kind} />
}

/** A button that acts at once. What came of it is said behind it, or why nothing did. */
export function ActionButton(
  props: ButtonProps & {
    /** A text that it returns is what is said. */
    act: () => Promise<unknown>
    /** What is said meanwhile. */
    busy?: string
  },
) {
  const { act, busy, disabled, ...button } = props
  const acting = useMutation({
    mutationFn: async () => {
      const came = await act()
      return typeof came === 'string' ? came : ''
    },
  })
  return (
    <>
      <Button {...button} disabled={disabled || acting.isPending} onClick={() => acting.mutate()} />
      <span role="status" className="small">
        {acting.isPending ? busy : acting.data}
      </span>
      <Fault error={acting.error} />
    </>
  )
}

/** Why something was not done. */
export const Fault = ({ error }: { error: Error | null }) =>
  error && (
    <p role="alert" className="fault long-text">
      {error.message}
    </p>
  )

interface FieldProps extends ComponentProps<'input'> {
  label: string
  hint?: string
  /** Of a text with several lines. */
  rows?: number
}

/** An input with its label, required unless said otherwise. */
export function Field({ label, hint, rows, required = true, ...input }: FieldProps) {
  const id = useId()
  const shared = { id, required, ...(hint !== undefined && { 'aria-describedby': `${id}-hint` }) }
  const { name, autoComplete } = input
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input {...input} {...shared} />
      ) : (
        <textarea {...shared} {...{ name, autoComplete, rows }} spellCheck={false} />
      )}
      {hint !== undefined && (
        <span id={`${id}-hint`} className="soft small">
          {hint}
        </span>
      )}
    </div>
  )
}

/** One of a few values, or any. */
export const Choice = (props: {
  label: string
  value: string | undefined
  options: readonly string[]
  onChange: (value: string) => void
}) => (
  <Select
    label={props.label}
    value={props.value ?? ''}
    options={{ '': 'any', ...Object.fromEntries(props.options.map((one) => [one, one])) }}
    onChange={({ target }) => props.onChange(target.value)}
  />
)

interface SelectProps extends ComponentProps<'select'> {
  label: string
  /** The names of values, which are no numbers: those would change the order. */
  options: Readonly<Record<string, string>>
}

export function Select({ label, options, ...select }: SelectProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select {...select} id={id}>
        {Object.entries(options).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
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
