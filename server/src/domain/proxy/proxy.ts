/** A proxy of the operator's. */
export interface ListedProxy {
  /** Tells it from the others in results, metrics and logs, without credentials. */
  label: string
  type: 'residential' | 'datacenter'
  /** ISO 3166-1 alpha-2 in capitals; null where it is not known, or is in the user's name. */
  country: string | null
  protocol: 'http' | 'https' | 'socks5'
  /** As a socket takes it: an IPv6 address without brackets. */
  host: string
  port: number
  /** The name may have `{country}` and `{session}` in it, as vendors want it. */
  user: ProxyUser | undefined
}

export interface ProxyUser {
  name: string
  password: string
}

/** A proxy as one attempt uses it: nothing is left open in it. */
export interface ProxyRoute
  extends Pick<ListedProxy, 'label' | 'protocol' | 'host' | 'port' | 'user'> {
  /** Its user has a session that no other attempt has: connections are not kept for another. */
  isForOneAttempt?: boolean
}
