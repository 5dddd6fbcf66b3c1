import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createClientConnections } from './client-connections.ts'

test('a closed unauthenticated connection does not count against the authenticated limit', () => {
  const clients = createClientConnections({ authenticatedMax: 1 })
  const sockets = Array.from({ length: 200 }, () => new Socket())

  for (const socket of sockets) clients.add(socket)

  // Nothing was awaited, so no `close` event has been emitted yet.
  assert.equal(sockets.filter(({ destroyed }) => destroyed).length, 72)
  assert.ok(clients.authenticate(sockets[198] as Socket))
  assert.ok(!clients.authenticate(sockets[199] as Socket), 'one is the limit')
  clients.closeAll()
  assert.ok(sockets.every(({ destroyed }) => destroyed))
})
