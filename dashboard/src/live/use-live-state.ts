import { type Query, useQueryClient } from '@tanstack/react-query'
import { AuthError, Trawl, type TrawlEvent } from '@trawl/sdk'
import { useEffect, useState } from 'react'
import { forgetSession } from '../session/current-session.ts'
import { QueryRefresher } from './query-refresher.ts'
import { whileVisible } from './while-visible.ts'

/** Keeps the one event stream of this tab, and says how it is. */
export function useLiveState(): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')

  useEffect(() => {
    const refresher = new QueryRefresher(client)
    let closing = new AbortController()
    let lastEventId: string | undefined
    const end = whileVisible(document, {
      start() {
        closing = new AbortController()
        void followEvents(closing.signal, lastEventId, {
          onEvent(event) {
            lastEventId = event.id ?? lastEventId
            refresher.hear(event)
          },
          onState(next) {
            setState(next)
            // What happened between a reading and the opening of the stream is in no event.
            const isNew = next === 'open' && lastEventId === undefined
            if (isNew) void client.invalidateQueries({ predicate: wasRead })
          },
          onRefused: () => forgetSession(client),
        })
      },
      stop() {
        closing.abort()
        setState('paused')
      },
    })
    return () => {
      end()
      refresher.stop()
    }
  }, [client])

  return state
}

const wasRead = ({ queryKey, state }: Query): boolean =>
  state.dataUpdatedAt > 0 && queryKey[0] !== 'session'

/** `paused` is a stream that nobody looks at. */
export type LiveState = 'connecting' | 'open' | 'lost' | 'paused'

interface LiveHearer {
  onEvent: (event: TrawlEvent) => void
  onState: (state: LiveState) => void
  /** The session is over. */
  onRefused: () => void
}

/** Follows the events of the account from the last one on; the SDK mends a broken connection. */
async function followEvents(
  signal: AbortSignal,
  lastEventId: string | undefined,
  hearer: LiveHearer,
): Promise<void> {
  let state: LiveState | undefined
  const become = (next: LiveState) => {
    if (signal.aborted || state === next) return
    state = next
    hearer.onState(next)
  }

  // Every connection of the stream passes here, which is how its state is known.
  const watched: typeof globalThis.fetch = async (input, init) => {
    become(state === undefined ? 'connecting' : 'lost')
    try {
      const response = await globalThis.fetch(input, init)
      become(response.ok ? 'open' : 'lost')
      return response
    } catch (error) {
      become('lost')
      throw error
    }
  }

  const options = { signal, lastEventId, maxReconnects: Number.POSITIVE_INFINITY }
  try {
    for await (const event of new Trawl({ fetch: watched }).events(options)) hearer.onEvent(event)
  } catch (error) {
    if (signal.aborted) return
    become('lost')
    if (error instanceof AuthError) hearer.onRefused()
  }
}
