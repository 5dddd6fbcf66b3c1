/** An address, or a block of them, that needs no credentials. */
export interface WhitelistedIp {
  id: string
  /** In canonical form. */
  block: string
  description: string
}

export const whitelistEntriesMax = 150
