import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import type { WatchedEvent } from '../../src/wire/events/responses.ts'
import { until } from './until.ts'

/** A listener of events, as a client without a library is. */
export interface EventListener {
  readonly response: IncomingMessage
  /** Every event so far. */
  readonly events: WatchedEvent[]
  /** Everything that arrived. */
  text(): string
  lastEventId(): string | undefined
  /** Resolves with the first event that fits. */
  untilEvent<Type extends WatchedEvent['type']>(
    type: Type,
    fits?: (event: Extract<WatchedEvent, { type: Type }>) => boolean,
  ): Promise<Extract<WatchedEvent, { type: Type }>>
  /** Resolves once the service has ended the stream. */
  untilEnded(): Promise<void>
  close(): void
}

/** Connects, and resolves when the first bytes are there: no event is missed from then on. */
export async function listenToEvents(
  t: Pick<TestContext, 'after'>,
  url: string,
  headers: Record<string, string>,
  topics = 'tasks,jobs,queue',
): Promise<EventListener> {
  const request = get(`${url}/v1/events?topics=${topics}`, { headers, agent: false })
  t.after(() => request.destroy())
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let text = ''
  let isEnded = false
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    text += chunk
  })
  response.on('error', () => undefined)
  response.on('close', () => {
    isEnded = true
  })
  const blocks = () => text.split('\n\n').slice(0, -1)
  const events = () =>
    blocks().flatMap((block) => {
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      return data === undefined ? [] : [JSON.parse(data) as WatchedEvent]
    })
  if (response.statusCode === 200) await until(() => blocks().length > 0 || isEnded)
  return {
    response,
    get events() {
      return events()
    },
    text: () => text,
    lastEventId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1],
    async untilEvent(type, fits = () => true) {
      type Wanted = Extract<WatchedEvent, { type: typeof type }>
      const find = () =>
        events().find((event) => event.type === type && fits(event as Wanted)) as Wanted | undefined
      await until(() => find() !== undefined)
      return find() as Wanted
    },
    untilEnded: () => until(() => isEnded),
    close: () => void request.destroy(),
  }
}
