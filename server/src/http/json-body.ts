import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { InvalidRequest } from './problem.ts'

/** Reads a JSON body; no body at all is `undefined`, which a schema then calls missing. */
export async function readJsonBody(_request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined
  if (!isUtf8(body)) throw invalidJson(['body'], 'JSON must be UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    // The engine names the place for some errors only, and its message may hold the input.
    const [, position] = /at position (\d+)/.exec((error as Error).message) ?? []
    throw invalidJson(position ? ['body', position] : ['body'], 'JSON decode error')
  }
}

const invalidJson = (loc: string[], msg: string) =>
  new InvalidRequest([{ loc, msg, type: 'json_invalid' }])
