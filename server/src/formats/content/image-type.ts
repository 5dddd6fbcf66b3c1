/** The type of an image that browsers show, by its signature; undefined for anything else. */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16))
  const text = start.toString('latin1')
  return imageSignatures.find(([, offset, signature]) => text.startsWith(signature, offset))?.[0]
}

export const imageSignatures: [type: string, offset: number, signature: string][] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBPVP'],
  ['image/avif', 4, 'ftypavif'],
]
