import { type ReactNode, useId, useState } from 'react'
import { Link } from 'wouter'
import { Button } from './controls.tsx'

/** Numbers stand at the end, one below the other. */
export type Column<Row> = readonly [name: string, cell: (row: Row) => ReactNode, align?: 'end']

export interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** For rows that move, or whose cells have a state. */
  keyOf?: (row: Row) => string
  /** What stands in its place where it has no rows. */
  empty?: ReactNode
}

export function DataTable<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (empty !== undefined && rows.length === 0) return empty
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-frame" aria-label={label} tabIndex={0}>
      <table className="table">
        <caption className="hidden-text">{label}</caption>
        <thead>
          <tr>
            {columns.map(([name, , align = 'start']) => (
              <th key={name} scope="col" data-align={align}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf?.(row) ?? index}>
              {columns.map(([name, cell, align = 'start']) => (
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

/** A link in a table that may be long. */
export const WideLink = ({ href, children }: { href: string; children: string }) => (
  <Link className="wide-link" href={href}>
    {children}
  </Link>
)

/** A picture, and the same numbers as a table for who cannot see it. */
export function FigureWithTable<Row>(
  props: Omit<TableProps<Row>, 'label'> & {
    title: string
    /** Where it is not the title. */
    label?: string
    children: ReactNode
  },
) {
  const { title, children, label = title, ...table } = props
  const [isTable, setTable] = useState(false)
  const id = useId()
  return (
    <figure className="panel" aria-labelledby={id}>
      <div className="row apart">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          Table<span className="hidden-text"> of {title}</span>
        </Button>
      </div>
      {isTable ? <DataTable label={label} {...table} /> : children}
    </figure>
  )
}
