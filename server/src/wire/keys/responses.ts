import { z } from 'zod'
import { storableText } from '../../domain/storable-text.ts'

const time = z.string().describe('ISO 8601, UTC.')

const keyFields = {
  id: z.uuid(),
  name: z.string().describe('What its owner calls it; empty where it was given no name.'),
  prefix: z.string().describe('The first characters of the key, to tell keys apart.'),
  created_at: time,
  last_used_at: time.nullable().describe('To the minute; null before the first use.'),
}

/** An API key as lists show it; the key itself is not stored. */
export const ApiKeyObject = z.object(keyFields).meta({ id: 'ApiKey' })

export const ApiKeyList = z.object({ keys: z.array(ApiKeyObject) }).meta({ id: 'ApiKeyList' })

export const CreatedApiKey = z
  .object({ ...keyFields, key: z.string().describe('The key itself, shown here only.') })
  .meta({ id: 'CreatedApiKey' })

export const NewApiKey = z
  .object({
    name: storableText(100).default('').describe('What the key is for; it appears in lists.'),
  })
  .meta({ id: 'NewApiKey' })
