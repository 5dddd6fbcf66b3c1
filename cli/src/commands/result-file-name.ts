/** A name may have 255 bytes on most file systems; the rest is for an id and an ending. */
const nameBytesMax = 150

/**
 * A file name for the page at a URL, without its ending. It is one part of a path, whatever the URL has:
 * letters, digits and `. _ = -` only, never `..`, never hidden, never the name of a Windows device.
 */
export function resultFileName(url: string): string {
  const { host, pathname, search } = URL.parse(url) ?? { host: '', pathname: url, search: '' }
  const words = decoded(host + pathname + search)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._=-]+/gu, '-')
    .replace(/([.-])[.-]+/g, '$1')
  const name = trimmed(cutToBytes(trimmed(words), nameBytesMax))
  if (name === '') return 'page'
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name) ? `_${name}` : name
}

/** Text in percent-encoding; as it is where it does not decode. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const trimmed = (name: string): string => name.replace(/^[.-]+|[.-]+$/g, '')

/** Cuts between characters, never within the bytes of one. */
function cutToBytes(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  return new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true })
}
