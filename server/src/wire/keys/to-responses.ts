import { z } from 'zod'
import type { ApiKey } from '../../domain/account/account.ts'
import { isoTime, isoTimeOrNull } from '../../runtime/iso-time.ts'
import type { ApiKeyObject } from './responses.ts'

export const ApiKeyPath = z.object({
  key_id: z.guid().toLowerCase().describe('The id of a key.'),
})

export const toApiKeyObject = (key: ApiKey): z.input<typeof ApiKeyObject> => ({
  id: key.id,
  name: key.name,
  prefix: key.label,
  created_at: isoTime(key.createdAtMs),
  last_used_at: isoTimeOrNull(key.lastUsedAtMs),
})
