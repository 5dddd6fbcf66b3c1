import { type ReactNode, useId, useState } from 'react'
import { Button } from './button.tsx'

/** A picture, and the same numbers as a table for who cannot see it. */
export function FigureWithTable(props: { title: string; picture: ReactNode; table: ReactNode }) {
  const [isTable, setTable] = useState(false)
  const id = useId()
  return (
    <figure className="panel" aria-labelledby={id}>
      <div className="row apart">
        <h2 id={id}>{props.title}</h2>
        <Button kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table<span className="hidden-text"> of {props.title}</span>
        </Button>
      </div>
      {isTable ? props.table : props.picture}
    </figure>
  )
}
