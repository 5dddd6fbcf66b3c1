import { useId } from 'react'

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
