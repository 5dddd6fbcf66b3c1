import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { Failure } from '../../domain/failure.ts'
import type { EventLoopShares } from '../../runtime/sharing/event-loop-shares.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { sharerOf } from './client-address.ts'
import { untilDisconnected } from './disconnected.ts'
import { requireModestJson } from './json-size.ts'

const byteOrderMark = '\ufeff'

/** Parses JSON bodies. An empty one is `undefined`, which the schema then reports as missing. */
export const jsonBodyReader =
  (shares: EventLoopShares) =>
  async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
    if (body.length === 0) return undefined
    requirePlain(request.headers)
    const sharer = sharerOf(request)
    const { socket } = request.raw
    await requireModestJson(body, { sharer, hasDisconnected: () => socket.destroyed })
    const watch = untilDisconnected(request)
    return shares.run(sharer, () => parse(body), { watch })
  }

function parse(body: Buffer): unknown {
  // UTF-16 of Latin letters is valid UTF-8 too, with a zero beside each letter.
  if (!isUtf8(body) || body.subarray(0, 2).includes(0)) {
    throw invalidJson(['body'], 'JSON must be UTF-8')
  }
  const text = body.toString('utf8')
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  } catch (error) {
    // V8 reports a position for some errors only, and its message may quote the input.
    const [, position] = /at position (\d+)/.exec((error as Error).message) ?? []
    throw invalidJson(position ? ['body', position] : ['body'], 'JSON decode error')
  }
}

/** Refuses compression and other charsets with a clear error instead of one about broken JSON. */
function requirePlain(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding.')
  }
  const [, charset = 'utf-8'] =
    /;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '') ?? []
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json in UTF-8.')
  }
}

const invalidJson = (loc: string[], msg: string) =>
  new InvalidRequest([{ loc, msg, type: 'json_invalid' }])
