import type { NewApiKey } from './api.ts'
import { ApiFamily } from './api-family.ts'
import type { CallOptions } from './transport.ts'

/** `/v1/keys`: the API keys of the account. Only its password opens them. */
export class KeysApi extends ApiFamily {
  list(options?: CallOptions) {
    return this.call('GET /v1/keys', { options })
  }

  /** The answer has the key, which is not shown again. */
  create(body: NewApiKey, options?: CallOptions) {
    return this.call('POST /v1/keys', { body, options })
  }

  revoke(key_id: string, options?: CallOptions) {
    return this.call('DELETE /v1/keys/{key_id}', { path: { key_id }, options })
  }
}
