import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { MasterKeys } from './seal.ts'

/** Signs links, so that whoever has one needs no credentials. */
export interface LinkSigner {
  /** `subject` is all that the link opens: the signature is right for nothing else. */
  sign(subject: string): string
  isRight(subject: string, signature: string): boolean
}

/** HMAC-SHA256 with a key derived for this purpose alone; during a rotation both keys verify. */
export function createLinkSigner(keys: MasterKeys): LinkSigner {
  const newest = derive(keys.newest)
  const previous = keys.previous && derive(keys.previous)

  return {
    sign: (subject) => signWith((keys.isPreviousInUse && previous) || newest, subject),
    isRight: (subject, signature) =>
      isEqual(signature, signWith(newest, subject)) ||
      (previous !== undefined && isEqual(signature, signWith(previous, subject))),
  }
}

const derive = (masterKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'trawl link signatures', 32))

const signWith = (key: Buffer, subject: string): string =>
  createHmac('sha256', key).update(subject).digest('base64url')

/** As text: the last character has bits to spare, and only one spelling is ours. */
function isEqual(signature: string, right: string): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(right)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
