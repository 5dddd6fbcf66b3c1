import {
  type QueryClient,
  queryOptions,
  useIsMutating,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { AuthError, type Session, type SessionCredential } from '@trawl/sdk'
import { useEffect } from 'react'
import { trawl } from '../client.ts'

async function readSession(): Promise<Session | null> {
  if (takeSignedOutMark()) return null
  try {
    return await trawl.session.get()
  } catch (error) {
    if (error instanceof AuthError) return null
    throw error
  }
}

/** The service marks a page that was asked for without a session; the mark holds until somebody signs in. */
function takeSignedOutMark(): boolean {
  const page = document.documentElement
  const isMarked = 'signedOut' in page.dataset
  delete page.dataset['signedOut']
  return isMarked
}

const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
})

/** Who is signed in; null if nobody is. */
export function useCurrentSession() {
  const client = useQueryClient()
  const { data, error, isPending } = useQuery(sessionQuery)
  useEffect(() => hearOtherTabs(() => void followOtherTab(client)), [client])
  return { session: data ?? null, error, isLoading: isPending }
}

export function useSignIn() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (credential: SessionCredential) => trawl.session.begin(credential),
    onSuccess: () => {
      tellOtherTabs()
      return client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    },
    // The cache of mutations has what they were given: here a password.
    gcTime: 0,
  })
}

const signOutKey = ['sign-out']

/** Whether the session is being ended: whoever still asks in its name would be refused. */
export const useIsSigningOut = (): boolean => useIsMutating({ mutationKey: signOutKey }) > 0

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationKey: signOutKey,
    mutationFn: () => trawl.session.end(),
    onSuccess: () => {
      tellOtherTabs()
      // The request of the playground and the filters of lists are those of who has left.
      window.history.replaceState(null, '', window.location.pathname)
      forgetSession(client)
    },
  })
}

/** Nothing that was read stays: the next who signs in here may be another account. */
export function forgetSession(client: QueryClient): void {
  client.setQueryData(sessionQuery.queryKey, null)
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
  // It has what was sent: requests of the playground with their cookies and headers.
  client.getMutationCache().clear()
}

/** The cookie is that of all tabs, so this one must not go on showing one account and acting as another. */
async function followOtherTab(client: QueryClient): Promise<void> {
  const before = client.getQueryData(sessionQuery.queryKey)
  const session = await readSession().catch(() => null)
  if (session?.username !== before?.username) forgetSession(client)
  client.setQueryData(sessionQuery.queryKey, session)
}

// One channel a tab: a second one of the same tab would hear what the first one says.
const channel = new BroadcastChannel('trawl-session')

/** Tells the other tabs of this browser, which share the session cookie, that it is another one now. */
const tellOtherTabs = (): void => channel.postMessage(null)

/** Calls when another tab has told; returns what ends it. */
function hearOtherTabs(onTold: () => void): () => void {
  channel.addEventListener('message', onTold)
  return () => channel.removeEventListener('message', onTold)
}
