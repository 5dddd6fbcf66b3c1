/** Width and height of a WebP image with losses (RFC 9649: a chunk `VP8 `, or `VP8X` before it). */
export function webpSize(file: Uint8Array): { width: number; height: number } {
  const bytes = Buffer.from(file)
  const chunk = bytes.toString('latin1', 12, 16)
  if (chunk === 'VP8X') {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  }
  if (chunk !== 'VP8 ') throw new Error(`This is no WebP image with losses: ${chunk}`)
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
}
