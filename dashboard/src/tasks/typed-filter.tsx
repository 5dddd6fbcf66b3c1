import { useEffect, useRef, useState } from 'react'
import { Field } from '../parts/field.tsx'

// While somebody types, not every letter is a search.
const pauseMs = 200

/** A filter that is typed. The address follows it after a pause, and it follows the address at once. */
export function TypedFilter(props: {
  label: string
  type?: 'search' | 'text' | 'date'
  /** As it stands in the address. */
  value: string
  /** Whether the value cannot be a filter: then more tasks are listed than its writer thinks. */
  isIgnored: boolean
  onChange: (value: string) => void
}) {
  const { label, type = 'text', value, isIgnored, onChange } = props
  const [text, setText] = useState(value)
  const [followed, setFollowed] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  if (followed !== value) {
    setFollowed(value)
    if (text.trim() !== value.trim()) setText(value)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <Field
      label={label}
      type={type}
      required={false}
      value={text}
      aria-invalid={isIgnored || undefined}
      {...(isIgnored && { hint: 'Not valid, so it does not filter.' })}
      onChange={({ target }) => {
        setText(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => onChange(target.value), pauseMs)
      }}
    />
  )
}
