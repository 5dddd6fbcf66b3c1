import type { Protocol } from 'devtools-protocol'
import { Failure } from '../../../domain/failure.ts'
import type { PageCookie } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import type { IsolatedWorld } from '../cdp/isolated-world.ts'
import { isWithoutBody, type MainDocument } from './main-document-tracker.ts'

/** Of a document as it was received, and of what fetch and XHR bring: the browser keeps no more. */
export const receivedBytesMax = 32 * 2 ** 20

const htmlCharactersMax = 50 * 2 ** 20
/** A large page in one piece would hold up everybody else while it is taken apart. */
const pieceCharacters = 2 ** 20

/** In one look, so that both are of the same document. */
const wholeDocument = `(() => {
  const doctype = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : ''
  globalThis.trawlHtml = doctype + (document.documentElement?.outerHTML ?? '')
  return [document.URL, trawlHtml.length, trawlHtml.slice(0, ${pieceCharacters})]
})()`

/** The document as the browser has it now. */
export async function readDom(
  world: IsolatedWorld,
  askForRoom: (bytes: number) => Promise<void>,
): Promise<{ url: string; body: Uint8Array }> {
  const [url, length, first] = await world.evaluate<[string, number, string]>(wholeDocument)
  if (length > htmlCharactersMax) throw tooLarge(`${htmlCharactersMax} characters`)
  if (length > pieceCharacters) await askForRoom(length)
  let html = first
  while (html.length < length) {
    const [from, to] = [html.length, html.length + pieceCharacters]
    html += await world.evaluate<string>(`trawlHtml.slice(${from}, ${to})`)
  }
  return { url, body: Buffer.from(html) }
}

/** The document as it was received, whatever scripts made of it since. */
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

/** Cookies are told apart; a challenge to a proxy's client is the way out's own. */
const withheld = new Set(['set-cookie', 'proxy-authenticate'])

/** Lower-case names; what was repeated is joined. */
export function headersOf({
  headers,
}: Pick<Protocol.Network.Response, 'headers'>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    value.replaceAll('\n', ', '),
  ])
  return Object.fromEntries(entries.filter(([name = '']) => !withheld.has(name)))
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
