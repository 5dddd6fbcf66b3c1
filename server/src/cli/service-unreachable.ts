/** No service responds at the URL. */
export class ServiceUnreachable extends Error {}

/** The service did not respond in time. */
export class ServiceTimedOut extends Error {}

/** Something responds at the URL that is no Trawl service. */
export class NotTheService extends Error {}
