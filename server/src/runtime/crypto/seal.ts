import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'

/** The master keys that other keys are derived from: one, or two during a key rotation. */
export interface MasterKeys {
  readonly newest: Uint8Array
  readonly previous?: Uint8Array | undefined
  /**
   * Whether the store still uses the previous key. Until the rotation begins, processes with both keys
   * encrypt with the previous one, so that processes with only that one can decrypt.
   */
  isPreviousInUse?: boolean
}

/** The key that a text is sealed with; `plain` is not sealed at all, `unknown` is none of ours. */
export type SealState = 'newest' | 'previous' | 'unknown' | 'plain'

/** Encrypts secrets at rest. `place` (the AAD) binds a text to its row: in another row it does not open. */
export interface Sealer {
  /** The newest first. Every sealed text contains its key's id, so the ids are not secret. */
  readonly keyIds: readonly string[]
  seal(secret: string, place: string): string
  open(sealed: string, place: string): string
  stateOf(text: string): SealState
}

/** The text was sealed with another key or for another row, or was changed. */
export class CannotUnseal extends Error {}

const ivBytes = 12
const tagBytes = 16
const keyIdCharacters = 8
/** So many characters show whether one of our keys sealed a text; they cannot show another key. */
export const sealHeadCharacters = keyIdCharacters + 1

interface DerivedKey {
  id: string
  /** A `KeyObject`: creating a cipher takes 3 µs, instead of 20 µs with the raw bytes. */
  key: KeyObject
}

/** AES-256-GCM with a key derived for this purpose alone; the key's id is kept with each text. */
export function createSealer(keys: MasterKeys): Sealer {
  const newest = derive(keys.newest)
  const previous = keys.previous && derive(keys.previous)
  const find = (id: string) => [newest, previous].find((derived) => derived?.id === id)
  const nextIv = createIvs()

  return {
    keyIds: [newest, ...(previous ? [previous] : [])].map(({ id }) => id),
    seal(secret, place) {
      const { id, key } = (keys.isPreviousInUse && previous) || newest
      const iv = nextIv()
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
      const text = cipher.update(secret, 'utf8')
      cipher.final()
      const box = Buffer.concat([iv, text, cipher.getAuthTag()])
      return `${id}.${box.toString('base64url')}`
    },
    open(sealed, place) {
      const key = find(sealed.slice(0, keyIdCharacters))?.key
      if (!key) throw new CannotUnseal(`The secret was sealed with another key. ${rotationHint}`)
      const box = Buffer.from(sealed.slice(sealHeadCharacters), 'base64url')
      if (box.length < ivBytes + tagBytes) throw new CannotUnseal('The secret is truncated.')
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, ivBytes))
        .setAAD(Buffer.from(place))
        .setAuthTag(box.subarray(-tagBytes))
      try {
        const opened = decipher.update(box.subarray(ivBytes, -tagBytes))
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch (error) {
        throw new CannotUnseal('The secret was changed, or is of another row.', { cause: error })
      }
    },
    stateOf(text) {
      const found = text[keyIdCharacters] === '.' && find(text.slice(0, keyIdCharacters))
      if (found) return found === newest ? 'newest' : 'previous'
      return sealedText.test(text) ? 'unknown' : 'plain'
    },
  }
}

const rotationHint =
  'While TRAWL_SECRET_KEY is rotated, every process needs TRAWL_SECRET_KEY_PREVIOUS beside it.'

/**
 * Matches a whole text under an unknown key. Its head alone is not enough: a response of a receiver may
 * start like one.
 */
const sealedText = /^[0-9a-f]{8}\.[A-Za-z0-9_-]{38,}$/

function derive(masterKey: Uint8Array): DerivedKey {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'trawl sealed secrets', 32))
  const id = createHash('sha256').update(key).digest('hex').slice(0, keyIdCharacters)
  return { id, key: createSecretKey(key) }
}

const ivsAtOnce = 256

/** Generates random bytes for many texts at once: a call for each would cost 3 µs. */
function createIvs(): () => Buffer {
  const pool = Buffer.alloc(ivsAtOnce * ivBytes)
  let offset = pool.length
  return () => {
    if (offset === pool.length) {
      randomFillSync(pool)
      offset = 0
    }
    offset += ivBytes
    return Buffer.from(pool.subarray(offset - ivBytes, offset))
  }
}
