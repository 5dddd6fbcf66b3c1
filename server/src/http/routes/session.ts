import { z } from 'zod'
import type { SignInCredential } from '../../accounts/sign-ins.ts'
import { signInEndsAtMs } from '../../domain/account/sign-in.ts'
import { storableText } from '../../domain/storable-text.ts'
import { canonicalBlock } from '../../runtime/ip-block.ts'
import { offeredCredentials } from '../auth/credentials.ts'
import { expiredSessionCookie, readSessionCookie, sessionCookie } from '../auth/session-cookie.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

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

const beginSession = defineRoute('session', {
  operationId: 'beginSession',
  request: 'POST /v1/session',
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

const getSession = defineRoute('session', {
  operationId: 'getSession',
  request: 'GET /v1/session',
  summary: 'See who is signed in',
  description: 'Any credential but an address may ask, not only a session.',
  response: {
    description: 'The account that the credentials name.',
    body: z
      .object({
        username: z.string(),
        opens_access: z
          .boolean()
          .describe('Whether API keys and whitelisted IPs are open: not for an API key.'),
        is_operator: z
          .boolean()
          .describe('Whether it is the first account, which may see the whole service.'),
        ends_at: z.iso
          .datetime()
          .nullable()
          .describe('When the session ends unless it is used again; null without one.'),
        client_address: z
          .string()
          .describe('The address that the request came from, as whitelisted IPs compare it.'),
      })
      .meta({ id: 'Session' }),
  },
  examples: {
    session: {
      summary: 'A session begun with the password',
      response: {
        username: 'admin',
        opens_access: true,
        is_operator: true,
        ends_at: '2026-03-01T21:00:00.000Z',
        client_address: '203.0.113.7',
      },
    },
  },

  async handle({ account, raw }, { authenticator, operator }) {
    const { apiKeys, basic, sessionToken } = offeredCredentials(raw.headers, raw.address)
    const isExplicit = apiKeys.length > 0 || basic !== undefined
    const found =
      isExplicit || sessionToken === undefined
        ? undefined
        : await authenticator.findSession(sessionToken)
    return {
      username: account.username,
      opens_access: isExplicit ? apiKeys.length === 0 : found?.signIn.apiKeyId === null,
      is_operator: await operator.isOperator(account),
      ends_at: found ? new Date(signInEndsAtMs(found.signIn)).toISOString() : null,
      client_address: canonicalBlock(raw.address) ?? raw.address,
    }
  },
})

const endSession = defineRoute('session', {
  operationId: 'endSession',
  request: 'DELETE /v1/session',
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
  examples: { signOut: { summary: 'Sign out' } },

  async handle({ raw }, { signIns, publicUrl }) {
    const token = readSessionCookie(raw.headers.cookie ?? '')
    if (token !== undefined) await signIns.end(token)
    const headers = { 'set-cookie': expiredSessionCookie(publicUrl()) }
    return new RouteResponse(undefined, { headers })
  },
})

export const sessionRoutes: readonly Route[] = [beginSession, getSession, endSession]
