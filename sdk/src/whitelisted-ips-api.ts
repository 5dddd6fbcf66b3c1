import type { Operations } from './api.ts'
import type { CallOptions, Transport } from './transport.ts'

type IpsBody<Method extends 'POST' | 'PUT' | 'DELETE'> =
  Operations[`${Method} /api/configuration/active/whitelisted-ips`]['body']

/** Addresses that scrape without credentials. Only the account's password opens this list. */
export class WhitelistedIpsApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(options?: CallOptions) {
    return this.#transport.call('GET /api/configuration/active/whitelisted-ips', { options })
  }

  add(ips: IpsBody<'POST'>['ips'], options?: CallOptions) {
    const name = 'POST /api/configuration/active/whitelisted-ips'
    return this.#transport.call(name, { body: { ips }, options })
  }

  /** Changes the description of an address. */
  update(body: IpsBody<'PUT'>, options?: CallOptions) {
    return this.#transport.call('PUT /api/configuration/active/whitelisted-ips', { body, options })
  }

  remove(ips: IpsBody<'DELETE'>['ips'], options?: CallOptions) {
    const name = 'DELETE /api/configuration/active/whitelisted-ips'
    return this.#transport.call(name, { body: { ips }, options })
  }
}
