import type { SessionCredential } from './api.ts'
import { ApiFamily } from './api-family.ts'
import type { CallOptions } from './transport.ts'

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
