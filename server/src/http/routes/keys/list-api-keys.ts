import { ApiKeyList } from '../../../wire/keys/responses.ts'
import { toApiKeyObject } from '../../../wire/keys/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const listApiKeys = defineRoute({
  operationId: 'listApiKeys',
  method: 'GET',
  path: '/v1/keys',
  family: 'keys',
  summary: 'List the API keys of the account, oldest first',
  description: 'Revoked keys are left out.',
  response: { status: 200, description: 'The keys.', body: ApiKeyList },
  examples: {
    keys: {
      summary: 'Every key',
      status: 200,
      response: {
        keys: [
          {
            id: '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917',
            name: 'nightly import',
            prefix: 'trawl_4f9K',
            created_at: '2026-03-02T09:30:00.000Z',
            last_used_at: null,
          },
        ],
      },
    },
  },
  handle: async ({ account }, { apiKeys }) => ({
    keys: (await apiKeys.list(account.id)).map(toApiKeyObject),
  }),
})
