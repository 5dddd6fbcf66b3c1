import type { Socket } from 'node:net'

/**
 * Beyond this the oldest is closed, so that other local processes cannot use up the proxy's connections or file
 * descriptors. A browser authenticates with its first bytes, and replaces a closed idle connection by itself.
 */
const unauthenticatedMax = 128

/** The connections to one egress proxy: those of its browser, and those not yet authenticated. */
export function createClientConnections({ authenticatedMax }: { authenticatedMax: number }) {
  const clients = new Set<Socket>()
  const unauthenticated = new Set<Socket>()

  return {
    add(client: Socket): void {
      clients.add(client)
      unauthenticated.add(client)
      client.on('error', () => {})
      client.once('close', () => {
        clients.delete(client)
        unauthenticated.delete(client)
      })
      if (unauthenticated.size > unauthenticatedMax) closeOldest()
    },
    /** Closes the connection and returns false if the browser has too many already. */
    authenticate(client: Socket): boolean {
      const isNew = unauthenticated.delete(client)
      if (!isNew || clients.size - unauthenticated.size <= authenticatedMax) return true
      close(client)
      return false
    },
    closeAll(): void {
      for (const client of clients) client.destroy()
    },
  }

  function closeOldest(): void {
    const [oldest] = unauthenticated
    if (oldest) close(oldest)
  }

  /** Removes it from both sets at once: until its `close` event it would count as authenticated. */
  function close(client: Socket): void {
    clients.delete(client)
    unauthenticated.delete(client)
    client.destroy()
  }
}
