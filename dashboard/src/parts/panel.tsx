import { type ReactNode, useId } from 'react'

/** A titled part of a page. */
export function Panel(props: { title: string; beside?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="row apart">
        <h2 id={id}>{props.title}</h2>
        {props.beside}
      </div>
      {props.children}
    </section>
  )
}
