import { Failure } from '../../domain/failure.ts'
import { JsonCounter } from '../../runtime/json-counter.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import { InvalidRequest } from '../errors/problem.ts'
import { callerDisconnected } from './disconnected.ts'

/** More than any request needs: each value takes time to parse and to validate, on the event loop. */
const valuesMax = 20_000
/** An escape, such as `\n`, takes ten times as long to parse as a plain character. */
const escapesMax = 200_000

/** A deep value takes five times as long to parse as a flat one, and more to write. */
const depthMax = 1_000

const pieceBytes = 2 ** 16

export interface BodySender {
  /** Whose turns looking through the body takes. */
  sharer: string
  hasDisconnected(): boolean
}

/** Refuses a body whose JSON would keep the event loop for long. This takes turns itself. */
export async function requireModestJson(
  body: Buffer,
  { sharer, hasDisconnected }: BodySender,
): Promise<void> {
  // A value that is nested takes a bracket on both sides.
  if (body.length <= 2 * depthMax) return
  const counter = new JsonCounter()
  const turns = new Turns(sharer)
  for (let start = 0; start < body.length; start += pieceBytes) {
    counter.add(body.subarray(start, start + pieceBytes))
    if (counter.values > valuesMax) throw tooMany(valuesMax, 'JSON values')
    if (counter.escapes > escapesMax) throw tooMany(escapesMax, 'escapes in its strings')
    if (counter.depthMax > depthMax) throw tooDeep()
    if (turns.isOver) await turns.next()
    // Otherwise bodies of callers who have left would fill the memory while they wait for their turns.
    if (hasDisconnected()) throw callerDisconnected()
  }
}

const tooDeep = () =>
  new InvalidRequest([
    {
      loc: ['body'],
      msg: `JSON should be nested ${depthMax} deep at most`,
      type: 'recursion_loop',
    },
  ])

const tooMany = (max: number, things: string) =>
  new Failure('PAYLOAD_TOO_LARGE', `A body may have ${max} ${things} at most. Send less at once.`)
