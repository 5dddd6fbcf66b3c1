import type { Protocol } from 'devtools-protocol'
import { Failure } from '../../../domain/failure.ts'
import type { ConsoleMessage, PageCookie } from '../../../domain/scrape/page.ts'
import type { BudgetShare } from '../../../runtime/sharing/memory-budget.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import type { IsolatedWorld } from '../cdp/isolated-world.ts'
import { isWithoutBody, type MainDocument } from './main-document-tracker.ts'

/** The browser's buffer for the bodies of responses; it evicts what does not fit. */
export const receivedBytesMax = 32 * 2 ** 20

const htmlCharactersMax = 50 * 2 ** 20
/** Parsing a large page in one message would block the event loop. */
const pieceCharacters = 2 ** 20

/** One script, so that URL and HTML are of the same document. */
const wholeDocument = `(() => {
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : ''
  globalThis.trawlHtml = doctype + (document.documentElement?.outerHTML ?? '')
  return [document.URL, trawlHtml.length, trawlHtml.slice(0, ${pieceCharacters})]
})()`

export async function readDom(
  world: IsolatedWorld,
  memory: Pick<BudgetShare, 'reserve'> | undefined,
): Promise<{ url: string; body: Uint8Array }> {
  const [url, length, first] = await world.evaluate<[string, number, string]>(wholeDocument)
  if (length > htmlCharactersMax) throw tooLarge(`${htmlCharactersMax} characters`)
  if (length > pieceCharacters) await memory?.reserve(length)
  let html = first
  while (html.length < length) {
    const [from, to] = [html.length, html.length + pieceCharacters]
    html += await world.evaluate<string>(`trawlHtml.slice(${from}, ${to})`)
  }
  return { url, body: Buffer.from(html) }
}

/** Reads the document as it was received, without the changes of scripts. */
export async function readReceived(
  session: CdpSession,
  { loaderId, url, response }: MainDocument,
): Promise<{ url: string; body: Uint8Array }> {
  if (response && isWithoutBody(response.status)) return { url, body: Buffer.alloc(0) }
  const { body, base64Encoded } = await session
    .send('Network.getResponseBody', { requestId: loaderId })
    .catch((error: unknown) => {
      throw String(error).includes('evicted') ? tooLarge(`${receivedBytesMax} bytes`) : error
    })
  return { url, body: Buffer.from(body, base64Encoded ? 'base64' : 'utf8') }
}

const tooLarge = (limit: string): Failure =>
  new Failure('RESPONSE_TOO_LARGE', `The page has more than ${limit}.`)

/** Cookies are reported separately; a proxy challenge comes from our own egress proxy. */
const omittedHeaders = new Set(['set-cookie', 'proxy-authenticate'])

/** Names in lower case; repeated headers are joined. */
export function headersOf({
  headers,
}: Pick<Protocol.Network.Response, 'headers'>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    value.replaceAll('\n', ', '),
  ])
  return Object.fromEntries(entries.filter(([name = '']) => !omittedHeaders.has(name)))
}

export const toPageCookie = (cookie: Protocol.Network.Cookie): PageCookie => ({
  name: cookie.name,
  value: cookie.value,
  domain: cookie.domain,
  path: cookie.path,
  expires: cookie.session ? null : new Date(cookie.expires * 1_000).toISOString(),
  httpOnly: cookie.httpOnly,
  secure: cookie.secure,
  sameSite: cookie.sameSite ?? null,
})

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
