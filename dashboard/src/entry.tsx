import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/shell.css'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { AuthError } from '@trawl/sdk'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { forgetSession, useCurrentSession } from './session/current-session.ts'
import { SignInPage } from './session/sign-in-page.tsx'
import { Shell } from './shell/shell.tsx'
import { applyTheme } from './shell/theme.ts'

// Before anything is drawn: the token leaves the address bar and the history at once.
const linkToken = takeLinkToken(window)
applyTheme()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createPageQueries()}>
      <DashboardApp linkToken={linkToken} />
    </QueryClientProvider>
  </StrictMode>,
)

/**
 * The shell for who is signed in, else the sign-in page, at whatever address: signing in again shows
 * the page that was asked for.
 */
function DashboardApp({ linkToken }: { linkToken: string | undefined }) {
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

/** What the pages have read, kept in memory only. A session that has ended empties it. */
function createPageQueries(): QueryClient {
  const onError = (error: Error) => {
    if (isSessionOver(error)) forgetSession(client)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // The SDK retries what is worth it, and events say what is out of date.
        retry: false,
        staleTime: 5_000,
        gcTime: 60_000,
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  })
  return client
}

/** 401; 403 means that this session does not open the page, and another sign-in may. */
const isSessionOver = (error: unknown): boolean =>
  error instanceof AuthError && error.status === 401

/** Takes the one-time token out of the address, and replaces the entry of the history that had it. */
function takeLinkToken({ location, history }: Window): string | undefined {
  const token = /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1]
  if (token) history.replaceState(null, '', location.pathname + location.search)
  return token
}
