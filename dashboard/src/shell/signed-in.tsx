import type { Session } from '@trawl/sdk'
import { Button } from '../parts/button.tsx'
import { useSignOut } from '../session/current-session.ts'

export function SignedIn({ session }: { session: Session }) {
  const signOut = useSignOut()
  return (
    <>
      <span className="soft small">{session.username}</span>
      <Button onClick={() => signOut.mutate()} disabled={signOut.isPending}>
        Sign out
      </Button>
      {signOut.error && (
        <p role="alert" className="fault small">
          {signOut.error.message}
        </p>
      )}
    </>
  )
}
