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
    let close: (() => string | undefined) | undefined
    let lastEventId: string | undefined
    const end = whileVisible(document, {
      start() {
        let canGoOn = lastEventId !== undefined
        close = openLiveStream(
          {
            onEvent(event) {
              canGoOn ||= event.id !== undefined
              refresher.hear(event)
            },
            onState(next) {
              setState(next)
              // What happened between a reading and the opening of the stream is in no event.
              if (next === 'open' && !canGoOn) void client.invalidateQueries({ predicate: wasRead })
            },
            onRefused: () => forgetSession(client),
          },
          lastEventId,
        )
      },
      stop() {
        lastEventId = close?.()
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

/**
 * Follows the events of the account; the SDK mends a broken connection. Returns what closes it, which gives the id
 * of the last event, to go on after it.
 */
function openLiveStream(hearer: LiveHearer, lastEventId: string | undefined) {
  const closing = new AbortController()
  let lastId = lastEventId
  let state: LiveState | undefined
  const become = (next: LiveState) => {
    if (closing.signal.aborted || state === next) return
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

  void follow()
  return () => {
    closing.abort()
    return lastId
  }

  async function follow(): Promise<void> {
    const client = new Trawl({ fetch: watched })
    const { signal } = closing
    const maxReconnects = Number.POSITIVE_INFINITY
    try {
      for await (const event of client.events({ signal, lastEventId, maxReconnects })) {
        lastId = event.id ?? lastId
        hearer.onEvent(event)
      }
    } catch (error) {
      if (signal.aborted) return
      become('lost')
      if (error instanceof AuthError) hearer.onRefused()
    }
  }
}
