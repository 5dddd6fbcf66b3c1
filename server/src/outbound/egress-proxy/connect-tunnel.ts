import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { OutboundError, type OutboundProblem } from '../outbound-error.ts'
import { challengeHeaders } from './proxy-auth.ts'
import { readAuthorityForm } from './request-target.ts'
import type { TargetConnections } from './target-connections.ts'
import type { TargetProblems } from './target-problems.ts'

const established = 'HTTP/1.1 200 Connection established\r\n\r\n'

/**
 * Answers `CONNECT`: what follows are bytes in both directions, which nobody here reads. A tunnel
 * may be idle for as long as its exit is open.
 */
export function openTunnel(
  { url = '' }: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { connections, problems }: { connections: TargetConnections; problems: TargetProblems },
): void {
  const target = readAuthorityForm(url)
  if (!target) {
    refuse(client, 400)
  } else if (!connections.isReachable(target)) {
    refuse(client, 403)
  } else {
    connections.openTunnel(target).then(
      (socket) => {
        const { proxyWatch } = connections
        if (proxyWatch) onFirstToEnd(socket, client, () => proxyWatch.doubt(target))
        splice(client, socket, head)
      },
      (error: unknown) => {
        const problem = error instanceof OutboundError ? error.problem : 'unreachable'
        problems.remember(target, problem)
        refuse(client, statuses[problem])
      },
    )
  }
}

const statuses = {
  not_allowed: 403,
  dns: 502,
  unreachable: 502,
  tls: 502,
  timeout: 502,
  too_large: 403,
  bad_response: 502,
  proxy: 502,
  proxy_unusable: 502,
  aborted: 403,
} as const satisfies Record<OutboundProblem, number>

/** For a `CONNECT` that came without the exit's credentials. */
export const challengeTunnel = (client: Duplex): void => refuse(client, 407, challengeHeaders)

const bare = { 'Content-Length': '0', Connection: 'close' }

function refuse(
  client: Duplex,
  status: 400 | 403 | 407 | 502,
  headers: Readonly<Record<string, string>> = bare,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  // What is left unread would keep the other end's goodbye from being seen.
  client.resume()
}

function splice(client: Duplex, target: Socket, head: Buffer): void {
  if (client.destroyed) {
    target.destroy()
    return
  }
  // Either side may have said all it wants to say and still listen.
  target.allowHalfOpen = true
  client.write(established)
  if (head.length > 0) target.write(head)
  client.pipe(target)
  target.pipe(client)
  endTogether(client, target)
  endTogether(target, client)
}

/** A side that breaks off ends the other; one that ends in order has told it through the pipe. */
function endTogether(side: Duplex, other: Duplex): void {
  side.once('close', () => {
    if (!side.readableEnded || !side.writableFinished) other.destroy()
  })
}

/** Told where this side has said all it wants to say, or is gone, and the other has not. */
function onFirstToEnd(side: Duplex, other: Duplex, onEnd: () => void): void {
  const look = () => {
    if (!other.readableEnded && !other.destroyed) onEnd()
  }
  side.once('end', look)
  side.once('close', look)
}
