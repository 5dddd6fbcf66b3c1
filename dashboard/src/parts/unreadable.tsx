/** What could not be read, and why. */
export function Unreadable({ error }: { error: Error }) {
  return (
    <p role="alert" className="fault">
      This could not be read: {error.message}
    </p>
  )
}
