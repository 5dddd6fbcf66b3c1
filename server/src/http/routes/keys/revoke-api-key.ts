import { z } from 'zod'
import { ApiKeyPath } from '../../../wire/keys/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const revokeApiKey = defineRoute({
  operationId: 'revokeApiKey',
  method: 'DELETE',
  path: '/v1/keys/:key_id',
  family: 'keys',
  summary: 'Revoke an API key',
  description:
    'It stops working at once in the process that responds, and within 3 s in others. Event streams that it opened end.',
  params: ApiKeyPath,
  response: { status: 204, description: 'It is revoked.', body: z.undefined() },
  failures: ['NOT_FOUND'],
  examples: { leaked: { summary: 'Revoke a key that leaked', status: 204 } },

  async handle({ account, params }, { apiKeys }) {
    await apiKeys.revoke(account.id, params.key_id)
    return undefined
  },
})
