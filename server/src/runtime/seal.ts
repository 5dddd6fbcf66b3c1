import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what must be readable again. `place` binds a sealed text to its row: moved, it does not open. */
export interface Sealer {
  seal(secret: string, place: string): string
  open(sealed: string, place: string): string
}

/** The text was sealed with another key, for another place, or was changed. */
export class CannotUnseal extends Error {}

const ivBytes = 12
const tagBytes = 16

/** AES-256-GCM with a key derived for this purpose alone; the key's id is kept with each text. */
export function createSealer(masterKey: Uint8Array): Sealer {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'trawl sealed secrets', 32))
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8)

  return {
    seal(secret, place) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place))
      const box = Buffer.concat([
        iv,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `${keyId}.${box.toString('base64url')}`
    },
    open(sealed, place) {
      const [sealedBy, text = ''] = sealed.split('.')
      if (sealedBy !== keyId) throw new CannotUnseal('Sealed with another key.')
      const box = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, ivBytes))
        .setAAD(Buffer.from(place))
        .setAuthTag(box.subarray(-tagBytes))
      try {
        const opened = decipher.update(box.subarray(ivBytes, -tagBytes))
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch (error) {
        throw new CannotUnseal('Changed, or sealed for another place.', { cause: error })
      }
    },
  }
}
