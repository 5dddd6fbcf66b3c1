import { type Command, InvalidArgumentError } from 'commander'
import { printable } from '../runtime/printable-text.ts'
import { readId } from './id-argument.ts'
import { watchSignals } from './interruption.ts'
import { pauseUnless } from './job-client.ts'
import { say } from './messages.ts'
import {
  printCurl,
  requestService,
  type ServiceRequest,
  withPrintCurlOption,
} from './on-service.ts'
import { readEvents, type StreamEvent } from './read-events.ts'
import { retryPauseMs } from './retry-pause.ts'
import { type ServiceFlags, withServiceOptions } from './service-options.ts'
import { ServiceUnreachable } from './service-unreachable.ts'
import { splitLines } from './split-lines.ts'
import { openStdoutLines, ReaderGone, type StdoutLines } from './stdout-lines.ts'

interface TailFlags extends ServiceFlags {
  json?: true
  lastEventId?: string
  printCurl?: true
}

const lineBytesMax = 2 ** 20

export function addTailTasksCommand(tasks: Command): void {
  withPrintCurlOption(withServiceOptions(tasks.command('tail')))
    .argument('[task_ids...]', 'only these tasks', readIds)
    .description('watch tasks change until Ctrl-C; goes on after a broken connection')
    .option('--json', 'one JSON document a line')
    .option('--stream', 'the same as --json')
    .option('--last-event-id <id>', 'go on after this event', readEventId)
    .action(async (ids: string[] = [], flags: TailFlags & { stream?: true }) => {
      await tail(ids, { ...flags, ...(flags.stream && { json: true }) })
    })
}

const readIds = (text: string, ids: string[] = []): string[] => [...ids, readId(text)]

function readEventId(text: string): string {
  if (/^[\x20-\x7e]{1,100}$/.test(text)) return text
  throw new InvalidArgumentError('It must be the id of an event, as --json prints it.')
}

async function tail(ids: string[], flags: TailFlags): Promise<void> {
  const topics = ids.length === 0 ? 'tasks' : ids.map((id) => `task:${id}`).join(',')
  if (flags.printCurl) return await printCurl(eventsRequest(topics, flags.lastEventId), flags)
  using signals = watchSignals()
  using lines = openStdoutLines()
  const place = { topics, lastEventId: flags.lastEventId }
  try {
    await follow(place, { flags, lines, signal: signals.signal })
  } catch (error) {
    if (error instanceof ReaderGone) return
    if (place.lastEventId !== undefined) {
      say(`To go on: npx trawl tasks tail --last-event-id ${printable(place.lastEventId)}`)
    }
    throw error
  }
}

interface Following {
  flags: TailFlags
  lines: StdoutLines
  signal: AbortSignal
}

/** Prints events for ever; a connection that breaks is opened again after the last event. */
async function follow(
  place: { topics: string; lastEventId: string | undefined },
  { flags, lines, signal }: Following,
): Promise<never> {
  for (let failuresInARow = 0; ; ) {
    try {
      const request = eventsRequest(place.topics, place.lastEventId)
      const { body } = await requestService(request, flags, { signal })
      say('Watching. Stop with Ctrl-C.')
      for await (const event of eventsIn(body)) {
        failuresInARow = 0
        place.lastEventId = event.id ?? place.lastEventId
        await lines.write(flags.json ? asJson(event) : asLine(event))
        signal.throwIfAborted()
      }
      throw new ServiceUnreachable('The service ended the stream.')
    } catch (error) {
      signal.throwIfAborted()
      failuresInARow += 1
      const random = Math.random()
      const pauseMs = retryPauseMs(asLost(error), { what: 'read', failuresInARow, random })
      if (pauseMs === undefined) throw asLost(error)
      await pauseUnless(signal, pauseMs)
    }
  }
}

const eventsRequest = (topics: string, lastEventId: string | undefined): ServiceRequest => ({
  method: 'GET',
  path: '/v1/events',
  query: { topics },
  headers: {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  },
  isStream: true,
})

async function* eventsIn(body: AsyncIterable<Uint8Array> | null): AsyncGenerator<StreamEvent> {
  if (!body) return
  const tooLong = () => new Error(`An event has more than ${lineBytesMax} bytes.`)
  yield* readEvents(splitLines(body, { bytesMax: lineBytesMax, tooLong }))
}

/** How `fetch` reports a body that broke off. */
const asLost = (error: unknown): unknown =>
  error instanceof TypeError
    ? new ServiceUnreachable(`The stream broke off: ${error.message}`)
    : error

const asJson = ({ id, data }: StreamEvent): string =>
  JSON.stringify({ id: id ?? null, ...(JSON.parse(data) as object) })

function asLine({ data }: StreamEvent): string {
  const { type, at, task_id, job_id, status, counts } = JSON.parse(data) as Record<string, unknown>
  const what =
    type === 'task'
      ? [task_id, status, ...(job_id ? [`of ${job_id}`] : [])]
      : type === 'tasks'
        ? Object.entries(counts as object).map(([name, count]) => `${count} ${name}`)
        : ['events were missed']
  return printable([at, ...what].join('  '))
}
