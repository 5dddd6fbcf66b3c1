import type { ConsoleMessage } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'

const messagesMax = 200
const messageCharactersMax = 2_000

/**
 * What the page has written so far. The browser keeps the last thousand lines or so itself and says them
 * to whoever begins to listen. Listening from the start, we would be told each one of a page that never
 * stops writing, and other pages would have to wait.
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
