import type { Socket } from 'node:net'

/** The connections to one exit's port: those of its browser, and those that have not authenticated yet. */
export interface ClientConnections {
  add(client: Socket): void
  /** False, and the connection is closed, where the browser has too many already. */
  authenticate(client: Socket): boolean
  closeAll(): void
}

/**
 * A browser authenticates with the first bytes it sends, or has opened a connection in reserve and opens
 * another when that is closed. So the oldest gives way: connections of other processes can neither use up
 * the exit's places nor its file descriptors.
 */
const unauthenticatedMax = 128

export function createClientConnections({
  authenticatedMax,
}: {
  authenticatedMax: number
}): ClientConnections {
  const clients = new Set<Socket>()
  const unauthenticated = new Set<Socket>()

  return {
    add(client) {
      clients.add(client)
      unauthenticated.add(client)
      client.on('error', () => {})
      client.once('close', () => {
        clients.delete(client)
        unauthenticated.delete(client)
      })
      if (unauthenticated.size > unauthenticatedMax) closeOldest()
    },
    authenticate(client) {
      const isNew = unauthenticated.delete(client)
      if (!isNew || clients.size - unauthenticated.size <= authenticatedMax) return true
      close(client)
      return false
    },
    closeAll() {
      for (const client of clients) client.destroy()
    },
  }

  function closeOldest(): void {
    const [oldest] = unauthenticated
    if (oldest) close(oldest)
  }

  /** Out of both sets at once: its `close` event comes later, and until then it would count as authenticated. */
  function close(client: Socket): void {
    clients.delete(client)
    unauthenticated.delete(client)
    client.destroy()
  }
}
