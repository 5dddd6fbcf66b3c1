import type { Turns } from '../../runtime/sharing/turns.ts'
import { gunzipped, withLongFirst } from '../decoding/gunzipped.ts'
import { type EntryReader, readerFor, type SitemapEntry } from './sitemap-entries.ts'

/** The limit of the protocol (sitemaps.org) on one file, decompressed. */
export const sitemapBytesMax = 50 * 2 ** 20

/** Reading ends within this many characters once a limit is reached; tags without text take a millisecond. */
const pieceCharacters = 4 * 1024
/** A byte order mark and an XML declaration lie within it. */
const headBytes = 1_024

export interface SitemapEnd {
  /** False where the file is broken, too large or no sitemap: entries may be missing. */
  isComplete: boolean
}

/**
 * Reads a sitemap, an index of sitemaps, a feed (RSS, Atom) or a list of URLs in plain text while it
 * arrives, gzipped or not, whatever its content type says. Memory does not grow with the file. Relative
 * URLs stay as they are written. Only errors of `chunks` itself are thrown. It is read in turns of the event
 * loop, however few entries it has and however large the chunks are.
 */
export async function* readSitemap(
  chunks: AsyncIterable<Uint8Array>,
  turns: Turns,
): AsyncGenerator<SitemapEntry, SitemapEnd> {
  const decoded = { bytes: 0, isBroken: false }
  let decoder: ReturnType<typeof decoderFor> | undefined
  let reader: EntryReader | undefined
  for await (const bytes of withLongFirst(gunzipped(chunks, decoded), headBytes)) {
    decoded.bytes += bytes.byteLength
    if (decoded.bytes > sitemapBytesMax) return { isComplete: false }
    decoder ??= decoderFor(bytes)
    const text = decoder.decode(bytes, { stream: true })
    reader ??= readerFor(text)
    if (!reader) continue
    for (let from = 0; from < text.length; from += pieceCharacters) {
      reader.write(text.slice(from, from + pieceCharacters))
      for (const entry of reader.take()) yield entry
      if (reader.isDone) return { isComplete: false }
      if (turns.isOver) await turns.next()
    }
  }
  if (!reader) return { isComplete: !decoded.isBroken }
  reader.end()
  for (const entry of reader.take()) yield entry
  return { isComplete: !reader.isFaulty && !decoded.isBroken }
}

/** By the byte order mark, else by the XML declaration; sitemaps should be UTF-8. */
function decoderFor(head: Uint8Array) {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le')
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be')
  const start = Buffer.from(head.subarray(0, headBytes)).toString('latin1')
  const label = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w-]+)["']/i.exec(start)?.[1] ?? 'utf-8'
  try {
    // A declaration that can be read as ASCII is not written in UTF-16, whatever it says.
    return new TextDecoder(/^utf-?16/i.test(label) ? 'utf-8' : label)
  } catch {
    return new TextDecoder()
  }
}
