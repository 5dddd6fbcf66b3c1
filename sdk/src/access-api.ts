import type { NewApiKey, Operations, SessionCredential } from './api.ts'
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

/** `/v1/session`: signing in, for pages of the service itself; the browser keeps the cookie. */
export class SessionApi extends ApiFamily {
  /** Signs in. Calls of a client without credentials of its own then need none. */
  begin(body: SessionCredential, options?: CallOptions) {
    return this.call('POST /v1/session', { body, options })
  }

  /** Who is calling, with whatever credentials. */
  get(options?: CallOptions) {
    return this.call('GET /v1/session', { options })
  }

  /** Signs out. */
  end(options?: CallOptions) {
    return this.call('DELETE /v1/session', { options })
  }
}

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

type IpsBody<Method extends 'POST' | 'PUT' | 'DELETE'> =
  Operations[`${Method} /api/configuration/active/whitelisted-ips`]['body']
