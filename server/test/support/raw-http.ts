import { once } from 'node:events'
import { connect } from 'node:net'

export interface RawResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Sends bytes as they are, so that a request can be as broken as a test wants it. */
export async function sendRaw(url: string, ...chunks: (string | Buffer)[]): Promise<RawResponse> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // The server may respond and close before it has read everything.
  socket.on('error', () => undefined)
  for (const chunk of chunks) socket.write(chunk)
  const received: Buffer[] = []
  for await (const chunk of socket) received.push(chunk)
  return parseResponse(Buffer.concat(received).toString())
}

export function parseResponse(text: string): RawResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), value.join(':').trim()]
    }),
  )
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
