import { CodeBlock } from './code-block.tsx'

/** A secret that the service does not show again; it is on the page only while this is. */
export function SecretOnce({ label, secret }: { label: string; secret: string }) {
  return (
    <>
      <p role="status">Copy it now: it is shown this once, and can never be read again.</p>
      <CodeBlock label={label} text={secret} />
    </>
  )
}
