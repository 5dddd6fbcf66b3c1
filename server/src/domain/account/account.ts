/** Who is calling, and whose rows they are. */
export interface Account {
  id: string
  username: string
  isEnabled: boolean
  createdAtMs: number
}

/** A way in for programs. The key itself is shown once and never kept. */
export interface ApiKey {
  id: string
  label: string
  createdAtMs: number
  lastUsedAtMs: number | undefined
  revokedAtMs: number | undefined
}

/** A shorter password is refused. */
export const passwordCharactersMin = 8

/** A shorter one is warned about: it is guessed soon by whoever has its hash. */
export const passwordCharactersAdvised = 12
