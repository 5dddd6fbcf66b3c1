import type { Socket } from 'node:net'

/** Tracks where responses begin on a connection. */
export type ResponseStarts = ReturnType<typeof acceptContinue>

/**
 * Lets undici read on after an unsolicited `100 Continue`, as browsers do: undici takes it for a broken
 * response, closes the connection, and has no option for that. The status is rewritten to 102 before undici
 * sees it, so that its parser still reads the head, and the limits on informational responses hold.
 */
export function acceptContinue(socket: Socket) {
  const read = socket.read.bind(socket)
  // Undefined while a body is read; any status but 1xx ends the search at its first digit.
  let state: number | undefined
  socket.read = (size) => {
    const piece: Buffer | null = read(size)
    if (state !== undefined && piece) state = rewriteContinue(piece, state)
    return piece
  }
  return {
    /** Called when a request is sent: the socket reads the head of its response next. */
    expectHead() {
      state = 0
    },
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const zero = 0x30
const two = 0x32

/** A state is a position in this text (`x` is any digit), or one of the constants below. */
const statusLine = Buffer.from('HTTP/1.x 1')
const minorVersion = statusLine.indexOf('x')
const secondDigit = statusLine.length
const thirdDigit = secondDigit + 1
const insideHead = thirdDigit + 1
const afterLineFeed = insideHead + 1

/**
 * Scans a piece of informational responses and rewrites 100 to 102 in place. Returns the state for the next
 * piece, or undefined once a byte shows that this is no informational response.
 */
export function rewriteContinue(piece: Uint8Array, before: number): number | undefined {
  let state = before
  for (let at = 0; at < piece.length; at++) {
    const byte = piece[at] as number
    if (state < secondDigit) {
      const isBlank = state === 0 && (byte === lineFeed || byte === carriageReturn)
      if (isBlank) continue
      if (byte !== statusLine[state] && state !== minorVersion) return undefined
      state += 1
    } else if (state === secondDigit) {
      state = byte === zero ? thirdDigit : insideHead
    } else if (state === thirdDigit) {
      if (byte === zero) piece[at] = two
      state = insideHead
    } else if (byte === lineFeed) {
      // An empty line ends the head; another one may follow.
      state = state === afterLineFeed ? 0 : afterLineFeed
    } else if (byte !== carriageReturn) {
      state = insideHead
    }
  }
  return state
}
