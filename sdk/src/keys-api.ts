import type { NewApiKey } from './api.ts'
import type { CallOptions, Transport } from './transport.ts'

/** `/v1/keys`: the API keys of the account. Only its password opens them. */
export class KeysApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options?: CallOptions) {
    return this.#transport.call('GET /v1/keys', { options })
  }

  /** The answer has the key, which is not shown again. */
  create(body: NewApiKey, options?: CallOptions) {
    return this.#transport.call('POST /v1/keys', { body, options })
  }

  revoke(key_id: string, options?: CallOptions) {
    return this.#transport.call('DELETE /v1/keys/{key_id}', { path: { key_id }, options })
  }
}
