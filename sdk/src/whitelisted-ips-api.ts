import type { Operations } from './api.ts'
import { ApiFamily } from './api-family.ts'
import type { CallOptions } from './transport.ts'

type IpsBody<Method extends 'POST' | 'PUT' | 'DELETE'> =
  Operations[`${Method} /api/configuration/active/whitelisted-ips`]['body']

/** Addresses that scrape without credentials. Only the account's password opens this list. */
export class WhitelistedIpsApi extends ApiFamily {
  list(options?: CallOptions) {
    return this.call('GET /api/configuration/active/whitelisted-ips', { options })
  }

  add(ips: IpsBody<'POST'>['ips'], options?: CallOptions) {
    return this.call('POST /api/configuration/active/whitelisted-ips', { body: { ips }, options })
  }

  /** Changes the description of an address. */
  update(body: IpsBody<'PUT'>, options?: CallOptions) {
    return this.call('PUT /api/configuration/active/whitelisted-ips', { body, options })
  }

  remove(ips: IpsBody<'DELETE'>['ips'], options?: CallOptions) {
    return this.call('DELETE /api/configuration/active/whitelisted-ips', { body: { ips }, options })
  }
}
