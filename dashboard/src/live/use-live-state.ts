import { type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { forgetSession } from '../session/current-session.ts'
import { type LiveState, type LiveStream, openLiveStream } from './live-stream.ts'
import { QueryRefresher } from './query-refresher.ts'
import { whileVisible } from './while-visible.ts'

/** Keeps the one event stream of this tab, and says how it is. */
export function useLiveState(): LiveState {
  const client = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')

  useEffect(() => {
    const refresher = new QueryRefresher(client)
    let stream: LiveStream | undefined
    let lastEventId: string | undefined
    const end = whileVisible(document, {
      start() {
        let canGoOn = lastEventId !== undefined
        stream = openLiveStream(
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
        lastEventId = stream?.close()
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
