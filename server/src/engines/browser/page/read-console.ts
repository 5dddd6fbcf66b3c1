import type { ConsoleMessage } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'

const messagesMax = 200
const messageCharactersMax = 2_000

/**
 * Reads the page's console messages so far. The browser buffers about the last thousand and replays
 * them when a domain is enabled. Listening from the start would let a page that never stops writing
 * fill the pipe that all pages share.
 */
export async function readConsole(session: CdpSession): Promise<ConsoleMessage[]> {
  const messages: ConsoleMessage[] = []
  const keep = (level: string, text: string) => {
    if (messages.length < messagesMax) {
      messages.push({ level, text: text.slice(0, messageCharactersMax) })
    }
  }
  session.on('Runtime.consoleAPICalled', ({ type, args }) =>
    keep(type, args.map((arg) => String(arg.value ?? arg.description ?? arg.type)).join(' ')),
  )
  session.on('Runtime.exceptionThrown', ({ exceptionDetails: { exception, text } }) =>
    keep('error', exception?.description ?? text),
  )
  session.on('Log.entryAdded', ({ entry }) => keep(entry.level, entry.text))
  for (const domain of ['Runtime', 'Log'] as const) {
    await session.send(`${domain}.enable`)
    session.post(`${domain}.disable`)
  }
  return messages
}
