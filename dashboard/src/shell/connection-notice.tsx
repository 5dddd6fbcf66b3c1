import type { LiveState } from '../live/live-stream.ts'

/** Only trouble is worth a line; it is read out when it comes. */
export function ConnectionNotice({ state }: { state: LiveState }) {
  return (
    <div role="status" className="connection">
      {state === 'lost' && (
        <p className="lost">
          The connection to the service is lost. What you see may be out of date; it is tried again.
        </p>
      )}
    </div>
  )
}
