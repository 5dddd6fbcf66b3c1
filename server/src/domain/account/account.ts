/** The tenant: who is calling, and who owns the rows. */
export interface Account {
  id: string
  username: string
  isEnabled: boolean
  createdAtMs: number
}

/** A credential for programs. The key itself is shown once and never stored. */
export interface ApiKey {
  id: string
  /** What its owner calls it; may be empty. */
  name: string
  /** The first characters of the key. */
  label: string
  createdAtMs: number
  lastUsedAtMs: number | null
  revokedAtMs: number | null
}

/** A shorter password is refused. */
export const passwordCharactersMin = 8

/** A shorter password gets a warning: an attacker who has its hash could soon guess it. */
export const passwordCharactersAdvised = 12
