import type { ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'

/** Where there is nothing yet: why, and the next step as a command to copy. */
export function EmptyState(props: { title: string; command: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{props.title}</h2>
      {props.children && <p className="soft">{props.children}</p>}
      <CodeBlock label="The next step" text={props.command} />
    </div>
  )
}
