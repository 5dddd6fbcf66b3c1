import { z } from 'zod'
import type { SignInCredential } from '../../../accounts/sign-ins.ts'
import { storableText } from '../../../domain/storable-text.ts'
import { sessionCookie } from '../../auth/session-cookie.ts'
import { defineRoute, RouteResponse } from '../../route.ts'

const text = storableText(1024).min(1)

const SessionCredential = z
  .union([
    z.object({ username: text, password: text }),
    z.object({ api_key: text }),
    z.object({ link_token: text.describe('Of a link; it signs in once, within 15 minutes.') }),
  ])
  .describe(
    'Name and password of an account, one of its API keys, or the token of a link that `npx trawl login` or the first start has printed.',
  )
  .meta({ id: 'SessionCredential' })

export const beginSession = defineRoute({
  operationId: 'beginSession',
  method: 'POST',
  path: '/v1/session',
  family: 'session',
  isOpen: true,
  summary: 'Sign in',
  description:
    'Sets the cookie `trawl_session`, which opens what the given credential opens; a link opens what the password does. The session ends after 12 hours without use, after 7 days, on sign-out, and when the password changes or the key is revoked.',
  body: SessionCredential,
  response: {
    status: 204,
    description: 'Signed in.',
    headers: ['Set-Cookie'],
    body: z.undefined(),
  },
  failures: ['UNAUTHORIZED', 'RATE_LIMITED', 'STORE_UNAVAILABLE'],
  examples: {
    password: {
      summary: 'With name and password',
      body: { username: 'admin', password: 'correct horse battery staple' },
      status: 204,
    },
  },

  async handle({ body, raw }, { signIns, publicUrl }) {
    const token = await signIns.begin(toCredential(body), raw.address)
    const headers = { 'set-cookie': sessionCookie(token, publicUrl()) }
    return new RouteResponse(undefined, { headers })
  },
})

function toCredential(given: z.output<typeof SessionCredential>): SignInCredential {
  if ('api_key' in given) return { apiKey: given.api_key }
  return 'link_token' in given ? { linkToken: given.link_token } : given
}
