/** A session of a person in a browser. It opens what the credential opens that it was begun with. */
export interface SignIn {
  accountId: string
  /** Null where it was begun with the password. */
  apiKeyId: string | null
  createdAtMs: number
  lastUsedAtMs: number
}

const unusedMsMax = 12 * 60 * 60_000
export const signInMsMax = 7 * 24 * 60 * 60_000

/** A link that signs in can be used for so long, once. */
export const signInLinkMs = 15 * 60_000

/** An account that signs in once more is signed out where it has not been for the longest time. */
export const signInsMax = 100

export const hasSignInEnded = (
  { createdAtMs, lastUsedAtMs }: Pick<SignIn, 'createdAtMs' | 'lastUsedAtMs'>,
  nowMs: number,
): boolean => nowMs >= signInEndsAtMs({ createdAtMs, lastUsedAtMs })

/** Unless it is used again. */
export const signInEndsAtMs = ({
  createdAtMs,
  lastUsedAtMs,
}: Pick<SignIn, 'createdAtMs' | 'lastUsedAtMs'>): number =>
  Math.min(lastUsedAtMs + unusedMsMax, createdAtMs + signInMsMax)
