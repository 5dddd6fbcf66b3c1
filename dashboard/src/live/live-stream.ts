import { AuthError, Trawl, type TrawlEvent } from '@trawl/sdk'

/** `paused` is a stream that nobody looks at. */
export type LiveState = 'connecting' | 'open' | 'lost' | 'paused'

export interface LiveHearer {
  onEvent: (event: TrawlEvent) => void
  onState: (state: LiveState) => void
  /** The session is over. */
  onRefused: () => void
}

export interface LiveStream {
  /** Returns the id of the last event, to go on after it. */
  close(): string | undefined
}

/** Follows the events of the account until it is closed; the SDK mends a broken connection. */
export function openLiveStream(
  hearer: LiveHearer,
  lastEventId: string | undefined,
  fetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init),
): LiveStream {
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
      const response = await fetch(input, init)
      become(response.ok ? 'open' : 'lost')
      return response
    } catch (error) {
      become('lost')
      throw error
    }
  }

  void follow()
  return {
    close() {
      closing.abort()
      return lastId
    },
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
