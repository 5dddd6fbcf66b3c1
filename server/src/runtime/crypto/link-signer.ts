import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { MasterKeys } from './seal.ts'

export type LinkSigner = ReturnType<typeof createLinkSigner>

/**
 * Signs links, so that opening one needs no credentials. `subject` names what a link opens; its signature
 * is valid for nothing else. HMAC-SHA256 with a key derived for this purpose alone; during a rotation both
 * keys verify.
 */
export function createLinkSigner(keys: MasterKeys) {
  const newest = derive(keys.newest)
  const previous = keys.previous && derive(keys.previous)

  return {
    sign: (subject: string): string =>
      signWith((keys.isPreviousInUse && previous) || newest, subject),
    isValid: (subject: string, signature: string): boolean =>
      isEqual(signature, signWith(newest, subject)) ||
      (previous !== undefined && isEqual(signature, signWith(previous, subject))),
  }
}

const derive = (masterKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'trawl link signatures', 32))

const signWith = (key: Buffer, subject: string): string =>
  createHmac('sha256', key).update(subject).digest('base64url')

/** Compares text, not bytes: base64 has several spellings of the same bytes, and only one is valid. */
function isEqual(signature: string, valid: string): boolean {
  const [given, expected] = [Buffer.from(signature), Buffer.from(valid)]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
