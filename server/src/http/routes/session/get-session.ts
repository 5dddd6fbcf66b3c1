import { z } from 'zod'
import { signInEndsAtMs } from '../../../domain/account/sign-in.ts'
import { canonicalBlock } from '../../../runtime/ip-block.ts'
import { offeredCredentials } from '../../auth/credentials.ts'
import { defineRoute } from '../../route.ts'

export const getSession = defineRoute({
  operationId: 'getSession',
  method: 'GET',
  path: '/v1/session',
  family: 'session',
  summary: 'See who is signed in',
  description: 'Any credential but an address may ask, not only a session.',
  response: {
    status: 200,
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
      status: 200,
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
