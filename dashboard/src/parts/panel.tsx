import { type ReactNode, useId, useState } from 'react'
import { useCurrentSession } from '../session/current-session.ts'
import { Button } from './controls.tsx'

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

/** Text to copy; `label` says what it is. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  const [outcome, setOutcome] = useState('')
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied.'),
      () => setOutcome('The browser did not allow it: select the text instead.'),
    )
  return (
    <div className="code-block">
      <ScrolledText label={label}>
        <code>{text}</code>
      </ScrolledText>
      <div className="row">
        <Button onClick={() => void copy()} aria-label={`Copy: ${label}`}>
          Copy
        </Button>
        <span role="status" className="soft small">
          {outcome}
        </span>
      </div>
    </div>
  )
}

/** Text in a frame of its own. */
export const ScrolledText = (props: { label: string; className?: string; children: ReactNode }) => (
  <section aria-label={props.label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
    <pre className={props.className} tabIndex={0}>
      {props.children}
    </pre>
  </section>
)

/** A secret that the service does not show again; it is on the page only while this is. */
export function SecretOnce({ label, secret }: { label: string; secret: string }) {
  return (
    <>
      <p role="status">Copy it now: it is shown this once, and can never be read again.</p>
      <CodeBlock label={label} text={secret} />
    </>
  )
}

/** Names with their values; what has no value is left out. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ReactNode>> }) => (
  <dl className="facts">
    {Object.entries(facts)
      .filter(([, value]) => value !== null && value !== undefined && value !== false)
      .map(([name, value]) => (
        <div key={name} className="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** What a query has read. What cannot be read again is said above what was read before. */
export function Loaded<Data>(props: {
  query: { data: Data | undefined; error: Error | null }
  children: (data: Data) => ReactNode
}) {
  const { data, error } = props.query
  return (
    <>
      {error && (
        <p role="alert" className="fault">
          This could not be read: {error.message}
        </p>
      )}
      {data !== undefined ? props.children(data) : !error && <Loading />}
    </>
  )
}

export const Loading = () => <p className="soft">Loading…</p>

/** What is about the whole service, which only its first account may see. */
export function OperatorOnly({ children }: { children: ReactNode }) {
  const { session } = useCurrentSession()
  if (session?.is_operator) return children
  return <p>This page is about the whole service. Sign in with its first account to see it.</p>
}
