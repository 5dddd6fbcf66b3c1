/** An address, or a CIDR block, that needs no credentials. */
export interface WhitelistedIp {
  id: string
  /** In canonical form. */
  block: string
  description: string
}

export const whitelistEntriesMax = 150

/** A wider block would include the addresses of strangers. */
export const whitelistShortestPrefix = { ipv4: 16, ipv6: 32 }
