import { Readable } from 'node:stream'
import { isoTime } from '../runtime/iso-time.ts'
import { type EventTopics, isWanted } from '../wire/events/requests.ts'
import type { EventRing } from './event-ring.ts'

interface EventStreamParts {
  ring: EventRing
  topics: EventTopics
  lastEventId: string | undefined
  nowMs(): number
  onClosed(stream: EventStream): void
}

/** More than this waits in the ring, not in the stream. */
const bufferedBytesMax = 16 * 1024
/** How long a browser waits before it connects again. */
const reconnectMs = 2_000

/**
 * What one listener gets, as server-sent events. It reads from the ring as fast as its listener reads
 * from it (backpressure): a listener that falls behind by more than the ring holds gets `reset`.
 */
export class EventStream extends Readable {
  readonly topics: EventTopics
  readonly #parts: EventStreamParts
  #position: number
  #isOpen = false
  #isFull = false
  #isEnded = false

  constructor(parts: EventStreamParts) {
    super({ highWaterMark: bufferedBytesMax })
    const { ring, lastEventId } = parts
    this.topics = parts.topics
    this.#parts = parts
    const known = lastEventId === undefined ? ring.last : ring.findNumber(lastEventId)
    this.#position = known ?? -1
  }

  /** Sends the first bytes; from now on no event is missed. */
  open(): void {
    if (this.#isEnded || this.destroyed) return
    this.#isOpen = true
    // An id without data gives a listener that has got no event yet a place to go on from.
    const { ring } = this.#parts
    const from = this.#position < 0 ? ring.last : this.#position
    this.#push(`retry: ${reconnectMs}\nid: ${ring.idOf(from)}\n\n`)
    this.pump()
  }

  /** Sends what the ring has for it, until the listener has to read first. */
  pump(): void {
    const { ring, nowMs } = this.#parts
    while (this.#isOpen && !this.#isFull && this.#position !== ring.last) {
      const next = this.#position < 0 ? undefined : ring.get(this.#position + 1)
      if (next) {
        this.#position = next.number
        if (isWanted(this.topics, next.event)) this.#push(next.frame)
      } else {
        this.#position = ring.last
        this.#push(ring.frameOf({ type: 'reset', at: isoTime(nowMs()) }, ring.last))
      }
    }
  }

  /** Keeps proxies from closing the connection. The id spares a listener of rare events a `reset`. */
  ping(): void {
    if (!this.#isOpen || this.#isFull) return
    this.#push(`: ping\nid: ${this.#parts.ring.idOf(this.#position)}\n\n`)
  }

  end(): void {
    if (this.#isEnded || this.destroyed) return
    this.#isEnded = true
    this.#isOpen = false
    this.push(null)
  }

  override _read(): void {
    this.#isFull = false
    this.pump()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#isOpen = false
    this.#parts.onClosed(this)
    done(error)
  }

  #push(text: string): void {
    this.#isFull = !this.push(text)
  }
}
