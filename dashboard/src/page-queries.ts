import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { AuthError } from '@trawl/sdk'
import { forgetSession } from './session/current-session.ts'

/** What the pages have read, kept in memory only. A session that has ended empties it. */
export function createPageQueries(): QueryClient {
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
