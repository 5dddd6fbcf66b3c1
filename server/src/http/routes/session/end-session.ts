import { z } from 'zod'
import { expiredSessionCookie, readSessionCookie } from '../../auth/session-cookie.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

export const endSession = defineRoute({
  operationId: 'endSession',
  method: 'DELETE',
  path: '/v1/session',
  family: 'session',
  isOpen: true,
  summary: 'Sign out',
  description: 'Ends the session of the cookie, if there is one.',
  response: {
    status: 204,
    description: 'Signed out.',
    headers: ['Set-Cookie'],
    body: z.undefined(),
  },
  failures: ['STORE_UNAVAILABLE'],
  examples: { signOut: { summary: 'Sign out', status: 204 } },

  async handle({ raw }, { signIns, publicUrl }) {
    const token = readSessionCookie(raw.headers.cookie ?? '')
    if (token !== undefined) await signIns.end(token)
    const headers = { 'set-cookie': expiredSessionCookie(publicUrl()) }
    return new RouteResponse(undefined, { headers })
  },
})
