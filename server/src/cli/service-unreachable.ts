/** No service answered at the address. */
export class ServiceUnreachable extends Error {}

/** The service did not answer in time. */
export class ServiceTimedOut extends Error {}
