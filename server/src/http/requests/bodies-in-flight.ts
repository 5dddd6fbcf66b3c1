import type { IncomingHttpHeaders } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Failure } from '../../domain/failure.ts'
import { sharerOf } from './client-address.ts'

/** In bytes; an owner may have the largest body a route reads even where all have too many. */
const limits = { ownerMax: 32 * 2 ** 20, totalMax: 128 * 2 ** 20, spareMax: 6 * 2 ** 20 }

/** Smaller bodies are not counted: the number of connections limits them. */
const countedBytesMin = 2 ** 16

/**
 * Limits the memory that bodies take from their first byte to their response, for each account, or each
 * address where there is none.
 */
export function limitBodies(app: FastifyInstance): void {
  const bodies = new BodiesInFlight(limits)
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!isLargeBody(request.headers)) return done(null, payload)
    const body = bodies.open(sharerOf(request))
    const counting = counted(payload, body)
    reply.raw.once('close', () => {
      body[Symbol.dispose]()
      counting.destroy()
      // What is still to come of a body that nobody reads is dropped, uncounted.
      payload.unpipe()
      payload.resume()
    })
    done(null, counting)
  })
}

/** A body without a length may have any. */
export const isLargeBody = (headers: IncomingHttpHeaders): boolean =>
  'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > countedBytesMin

function counted(payload: Readable, body: BodyInFlight): Readable {
  const counting = new Transform({
    transform: (chunk: Buffer, _encoding, done) =>
      body.tryAdd(chunk.length) ? done(null, chunk) : done(tooManyBytes()),
  })
  payload.once('error', (error) => counting.destroy(error))
  // Where the request was refused by its headers, nobody else listens.
  counting.on('error', () => undefined)
  return payload.pipe(counting)
}

const tooManyBytes = () =>
  new Failure('RATE_LIMITED', 'Too many large bodies at once. Wait for the responses to some.', {
    retryAfterSeconds: 1,
  })

interface BodyInFlight extends Disposable {
  /** Whether the body may have so many bytes more. */
  tryAdd(bytes: number): boolean
}

/** Counts the bytes of bodies by owner. Where all have too many, each owner may still have a body. */
export class BodiesInFlight {
  readonly #limits: typeof limits
  readonly #bytesOf = new Map<string, number>()
  #total = 0

  constructor(given: typeof limits) {
    this.#limits = given
  }

  open(owner: string): BodyInFlight {
    let held = 0
    return {
      tryAdd: (bytes) => {
        const { ownerMax, totalMax, spareMax } = this.#limits
        const max = this.#total + bytes > totalMax ? spareMax : ownerMax
        if ((this.#bytesOf.get(owner) ?? 0) + bytes > max) return false
        held += bytes
        this.#change(owner, bytes)
        return true
      },
      [Symbol.dispose]: () => {
        this.#change(owner, -held)
        held = 0
      },
    }
  }

  #change(owner: string, bytes: number): void {
    this.#total += bytes
    const left = (this.#bytesOf.get(owner) ?? 0) + bytes
    if (left === 0) this.#bytesOf.delete(owner)
    else this.#bytesOf.set(owner, left)
  }
}
