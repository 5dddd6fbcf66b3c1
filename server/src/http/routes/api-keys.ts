import { z } from 'zod'
import { ApiKeyList, CreatedApiKey, NewApiKey } from '../../wire/keys/responses.ts'
import { ApiKeyPath, toApiKeyObject } from '../../wire/keys/to-responses.ts'
import { defineRoute, type Route } from '../route.ts'

const listApiKeys = defineRoute('keys', {
  operationId: 'listApiKeys',
  request: 'GET /v1/keys',
  summary: 'List the API keys of the account, oldest first',
  description: 'Revoked keys are left out.',
  response: { description: 'The keys.', body: ApiKeyList },
  examples: {
    keys: {
      summary: 'Every key',
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

const createApiKey = defineRoute('keys', {
  operationId: 'createApiKey',
  request: 'POST /v1/keys',
  summary: 'Create an API key',
  description: 'The key works at once. It is not stored, so it can never be shown again.',
  body: NewApiKey,
  response: { status: 201, description: 'The key, shown here only.', body: CreatedApiKey },
  failures: ['CONFLICT'],
  examples: {
    named: {
      summary: 'A key with a name',
      body: { name: 'nightly import' },
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

const revokeApiKey = defineRoute('keys', {
  operationId: 'revokeApiKey',
  request: 'DELETE /v1/keys/:key_id',
  summary: 'Revoke an API key',
  description:
    'It stops working at once in the process that responds, and within 3 s in others. Event streams that it opened end.',
  params: ApiKeyPath,
  response: { status: 204, description: 'It is revoked.', body: z.undefined() },
  failures: ['NOT_FOUND'],
  examples: { leaked: { summary: 'Revoke a key that leaked' } },

  async handle({ account, params }, { apiKeys }) {
    await apiKeys.revoke(account.id, params.key_id)
    return undefined
  },
})

export const apiKeyRoutes: readonly Route[] = [listApiKeys, createApiKey, revokeApiKey]
