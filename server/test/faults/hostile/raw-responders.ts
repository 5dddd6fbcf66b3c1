/** Malformed or slow responses, byte by byte. Each ends when the client disconnects. */
import type { Socket } from 'node:net'

export type WireAnswer = (socket: Socket) => void

export const ok = 'HTTP/1.1 200 OK\r\n'
export const html = 'content-type: text/html; charset=utf-8\r\n'

export const sendRawText =
  (text: string): WireAnswer =>
  (socket) =>
    void socket.end(text, 'latin1')

/** A whole answer with this body. */
export const sendResponse =
  (body: string | Uint8Array, headers = html, status = 'HTTP/1.1 200 OK\r\n'): WireAnswer =>
  (socket) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    socket.write(`${status}${headers}content-length: ${bytes.length}\r\n\r\n`, 'latin1')
    socket.write(bytes)
  }

export const sendRedirect =
  (status: number, location: string): WireAnswer =>
  (socket) =>
    void socket.write(
      `HTTP/1.1 ${status} Elsewhere\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`,
      'latin1',
    )

export const silent: WireAnswer = () => undefined

export const reset: WireAnswer = (socket) => socket.resetAndDestroy()

/** Begins so, then goes on with one piece every so often. */
export const sendSlowly =
  (first: string, piece: string | Uint8Array, everyMs: number): WireAnswer =>
  (socket) => {
    socket.write(first, 'latin1')
    const timer = setInterval(() => socket.writable && socket.write(piece), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

/** Begins so, then goes on with the same as fast as it is read. */
export const sendEndlessly =
  (first: string, piece: Uint8Array): WireAnswer =>
  (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.write(first, 'latin1')
    socket.on('drain', more)
    more()
  }
