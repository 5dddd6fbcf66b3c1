import { CreatedApiKey, NewApiKey } from '../../../wire/keys/responses.ts'
import { toApiKeyObject } from '../../../wire/keys/to-responses.ts'
import { defineRoute } from '../../route.ts'

export const createApiKey = defineRoute({
  operationId: 'createApiKey',
  method: 'POST',
  path: '/v1/keys',
  family: 'keys',
  summary: 'Create an API key',
  description: 'The key works at once. It is not stored, so it can never be shown again.',
  body: NewApiKey,
  response: { status: 201, description: 'The key, shown here only.', body: CreatedApiKey },
  failures: ['CONFLICT'],
  examples: {
    named: {
      summary: 'A key with a name',
      body: { name: 'nightly import' },
      status: 201,
      response: {
        id: '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917',
        name: 'nightly import',
        prefix: 'trawl_4f9K',
        created_at: '2026-03-02T09:30:00.000Z',
        last_used_at: null,
        key: 'trawl_4f9K…',
      },
    },
  },

  async handle({ account, body }, { apiKeys }) {
    const { key, ...created } = await apiKeys.create(account.id, body.name)
    return { ...toApiKeyObject(created), key }
  },
})
