import { type ReactNode, useId, useState } from 'react'
import { Button } from './controls.tsx'

interface Column<Row> {
  name: string
  /** Numbers stand at the end, one below the other. */
  align?: 'start' | 'end'
  cell: (row: Row) => ReactNode
}

export function DataTable<Row>(props: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
}) {
  const { label, columns, rows, keyOf } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-frame" aria-label={label} tabIndex={0}>
      <table className="table">
        <caption className="hidden-text">{label}</caption>
        <thead>
          <tr>
            {columns.map(({ name, align = 'start' }) => (
              <th key={name} scope="col" data-align={align}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, align = 'start', cell }) => (
                <td key={name} data-align={align}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

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
