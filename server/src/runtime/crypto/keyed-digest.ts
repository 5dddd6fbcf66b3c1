import { createHmac, hkdfSync } from 'node:crypto'
import type { MasterKeys } from './seal.ts'

/** The same digest for the same text. Without the key nobody can guess a text and check the guess. */
export type KeyedDigest = (text: string) => string

/** HMAC-SHA256 with a key derived for this purpose alone. After a key rotation all digests differ. */
export function createKeyedDigest(keys: MasterKeys): KeyedDigest {
  const newest = derive(keys.newest)
  const previous = keys.previous && derive(keys.previous)
  return (text) =>
    createHmac('sha256', (keys.isPreviousInUse && previous) || newest)
      .update(text)
      .digest('base64url')
}

const derive = (masterKey: Uint8Array): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, '', 'trawl request digests', 32))
