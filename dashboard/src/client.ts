import { Trawl } from '@trawl/sdk'

/** The service that this page came from; the browser adds the session cookie. */
export const trawl = new Trawl()
