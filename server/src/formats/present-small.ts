import { isUtf8 } from 'node:buffer'
import { decodeBody } from './decoding/decode-body.ts'
import { withoutByteOrderMark } from './decoding/without-byte-order-mark.ts'
import { toJsonString } from './json-text.ts'
import type { Content, PageToPresent } from './present.ts'

// Control characters, six for one in JSON, take the event loop some 3 ms; all else takes less than one.
const bodyBytesMax = 32 * 1024
const decodedBytesMax = 128 * 1024

/** A few bytes of brotli may ask for a window of 16 MiB, which takes 20 ms, and zstd has a thousand small frames. */
const quickEncodings = /^(?:gzip|identity)?$/i

/**
 * Presents a small page of the usual kind on the event loop, where a trip to a content thread takes longer than
 * the work itself: text in UTF-8 that its header declares and that is handed over as it is. Undefined for every
 * other page, and for one that is broken: `present` says why.
 */
export function presentSmall(page: PageToPresent): Content | undefined {
  if (!isSmall(page)) return undefined
  const decoded = decodeSmall(page)
  if (!decoded || !isUtf8(decoded)) return undefined
  const text = withoutByteOrderMark(decoded)
  return {
    kind: 'html',
    // A copy with a buffer of its own, as the body or this may be handed over to another thread.
    bytes: page.form === 'embedded' ? toJsonString(asBuffer(text)) : new Uint8Array(text),
    charset: 'utf-8',
    hasReplacements: false,
    decodedBytes: decoded.byteLength,
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

const isSmall = ({ body, form, contentEncoding = '', contentType = '', ...page }: PageToPresent) =>
  body.byteLength <= bodyBytesMax &&
  form !== 'raw' &&
  !page.isJson &&
  !page.extract &&
  !page.part &&
  !page.preview &&
  !page.mayBePdf &&
  !page.minify?.useMinifier &&
  quickEncodings.test(contentEncoding.trim()) &&
  /^[^;]*;\s*charset\s*=\s*"?utf-8"?\s*$/i.test(contentType)

function decodeSmall({ body, contentEncoding }: PageToPresent): Uint8Array | undefined {
  try {
    return decodeBody(body, contentEncoding, decodedBytesMax)
  } catch {
    return undefined
  }
}
