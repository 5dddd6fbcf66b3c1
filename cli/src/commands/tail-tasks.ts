import type { PlainCall, TrawlEvent } from '@trawl/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { printCurl, withPrintCurlOption } from '../client/on-service.ts'
import { openService } from '../client/service-client.ts'
import { type ServiceFlags, withServiceOptions } from '../client/service-options.ts'
import { watchSignals } from '../interruption.ts'
import { say } from '../output/messages.ts'
import { printable } from '../output/terminal-text.ts'
import { openStdoutLines, ReaderGone, type StdoutLines } from '../output/write-output.ts'
import { readId } from './arguments.ts'

interface TailFlags extends ServiceFlags {
  json?: true
  lastEventId?: string
  printCurl?: true
}

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

/** Prints events for ever; a connection that breaks is opened again after the last event. */
async function follow(
  place: { topics: string; lastEventId: string | undefined },
  { flags, lines, signal }: { flags: TailFlags; lines: StdoutLines; signal: AbortSignal },
): Promise<void> {
  const onConnect = () => say('Watching. Stop with Ctrl-C.')
  const options = { topics: [place.topics], lastEventId: place.lastEventId, signal, onConnect }
  for await (const event of openService(flags).events(options)) {
    place.lastEventId = event.id ?? place.lastEventId
    await lines.write(flags.json ? asJson(event) : asLine(event))
  }
}

const eventsRequest = (topics: string, lastEventId: string | undefined): PlainCall => ({
  method: 'GET',
  path: '/v1/events',
  query: { topics },
  headers: {
    accept: 'text/event-stream',
    ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
  },
  isStream: true,
})

const asJson = ({ id, ...event }: TrawlEvent): string =>
  JSON.stringify({ id: id ?? null, ...event })

function asLine(event: TrawlEvent): string {
  const { type, at, task_id, job_id, status, counts } = event as Record<string, unknown>
  const what =
    type === 'task'
      ? [task_id, status, ...(job_id ? [`of ${job_id}`] : [])]
      : type === 'tasks'
        ? Object.entries(counts as object).map(([name, count]) => `${count} ${name}`)
        : ['events were missed']
  return printable([at, ...what].join('  '))
}
