import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signs links, so that whoever has one needs no credentials. */
export interface LinkSigner {
  /** `subject` is all that the link opens: the signature is right for nothing else. */
  sign(subject: string): string
  isRight(subject: string, signature: string): boolean
}

/** HMAC-SHA256 with a key derived for this purpose alone. */
export function createLinkSigner(masterKey: Uint8Array): LinkSigner {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'trawl link signatures', 32))
  const sign = (subject: string) => createHmac('sha256', key).update(subject).digest('base64url')

  return {
    sign,
    isRight(subject, signature) {
      // As text: the last character has bits to spare, and only one spelling is ours.
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(subject))]
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
