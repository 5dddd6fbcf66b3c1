import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { browserWithArgument } from './browser-with-argument.ts'
import { scratchFolder } from './scratch-folder.ts'

/** The record of all that a browser does on the network, made by the browser itself. */
export interface NetLog {
  /** A program that starts the browser so that it keeps the record. */
  readonly program: string
  /** Reads what has happened so far, or until the browser was killed. */
  read(): Promise<{
    /** `address:port` of each attempt to connect over TCP. */
    connected: string[]
    datagramsSent: number
  }>
}

interface NetLogEvent {
  type: number
  params?: { address?: string }
}

export async function keepNetLog(t: TestContext, browserPath: string): Promise<NetLog> {
  const folder = await scratchFolder(t)
  await chmod(folder, 0o777) // the browser may run as another user
  const file = join(folder, 'net-log.json')
  return {
    program: await browserWithArgument(t, browserPath, `--log-net-log=${file}`),
    async read() {
      const [head = '', ...lines] = (await readFile(file, 'utf8')).split('\n')
      const { constants } = JSON.parse(`${head.replace(/,\s*$/, '')}}`)
      const events = lines.flatMap(toEvent)
      const ofType = (name: string) => {
        const type = constants.logEventTypes[name]
        if (type === undefined) throw new Error(`The browser records no ${name}.`)
        return events.filter((event) => event.type === type)
      }
      return {
        connected: ofType('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? []),
        datagramsSent: ofType('UDP_BYTES_SENT').length,
      }
    },
  }
}

/** One line each; the last may be cut. */
function toEvent(line: string): NetLogEvent[] {
  try {
    return [JSON.parse(line.replace(/,\s*$/, ''))]
  } catch {
    return []
  }
}
