import { useEffect, useState } from 'react'
import { useCurrentSession } from './session/current-session.ts'
import { SignInPage } from './session/sign-in-page.tsx'
import { Shell } from './shell/shell.tsx'

/**
 * The shell for who is signed in, else the sign-in page, at whatever address: signing in again shows
 * the page that was asked for.
 */
export function DashboardApp({ linkToken }: { linkToken: string | undefined }) {
  const { session, error, isLoading } = useCurrentSession()
  const unusedToken = useUntilSignedIn(linkToken, session !== null)
  if (isLoading) return <p className="sign-in soft">Loading…</p>
  // Nothing of one account stays in the page of another.
  if (session) return <Shell key={session.username} session={session} />
  return <SignInPage linkToken={unusedToken} problem={error} />
}

/** A link is for who is not signed in: it must not sign anybody in later, after a sign-out. */
function useUntilSignedIn(linkToken: string | undefined, isSignedIn: boolean): string | undefined {
  const [unused, setUnused] = useState(linkToken)
  useEffect(() => {
    if (isSignedIn) setUnused(undefined)
  }, [isSignedIn])
  return unused
}
