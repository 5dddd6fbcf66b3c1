import { randomBytes } from 'node:crypto'
import type { WatchedEvent } from '../wire/events/responses.ts'

/** An event as it is sent: its number, and its text on the wire. */
export interface SentEvent {
  number: number
  event: WatchedEvent
  frame: string
}

/**
 * The last events of an account (ring buffer), so that a listener can reconnect and miss none. Numbers
 * begin anew with every ring, so an id also names the ring: one of another process is not understood.
 */
export class EventRing {
  readonly #events: SentEvent[] = []
  readonly #name = randomBytes(6).toString('hex')
  readonly #eventsMax: number
  #last = 0

  constructor(eventsMax: number) {
    this.#eventsMax = eventsMax
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last
  }

  add(event: WatchedEvent): void {
    this.#last += 1
    const number = this.#last
    this.#events[number % this.#eventsMax] = { number, event, frame: this.frameOf(event, number) }
  }

  /** The event with this number; undefined if it was overwritten. */
  get(number: number): SentEvent | undefined {
    const found = this.#events[number % this.#eventsMax]
    return found?.number === number ? found : undefined
  }

  idOf(number: number): string {
    return `${this.#name}-${number}`
  }

  /** The number in an id of this ring; undefined if it is another's, or the next event is gone. */
  findNumber(id: string): number | undefined {
    const [, name, digits] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id) ?? []
    const number = Number(digits)
    if (name !== this.#name || number > this.#last) return undefined
    return number === this.#last || this.get(number + 1) ? number : undefined
  }

  frameOf(event: WatchedEvent, number: number): string {
    return `id: ${this.idOf(number)}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  }
}
