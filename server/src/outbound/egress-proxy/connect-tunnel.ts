import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { OutboundError, type OutboundProblem } from '../outbound-error.ts'
import { pipePaced } from './paced-pipe.ts'
import { challengeHeaders } from './proxy-auth.ts'
import { readAuthorityForm } from './request-target.ts'
import type { TargetConnections } from './target-connections.ts'
import type { TargetProblems } from './target-problems.ts'

const established = 'HTTP/1.1 200 Connection established\r\n\r\n'

/** Handles `CONNECT`: copies bytes in both directions unread. A tunnel has no idle timeout. */
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
        if (proxyWatch) onFirstToEnd(socket, client, () => proxyWatch.markSuspect(target))
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
  dns_silent: 502,
  unreachable: 502,
  tls: 502,
  timeout: 502,
  too_large: 403,
  bad_response: 502,
  proxy: 502,
  proxy_unusable: 502,
  aborted: 403,
} as const satisfies Record<OutboundProblem, number>

/** Answers a `CONNECT` without the egress proxy's credentials. */
export const challengeTunnel = (client: Duplex): void => refuse(client, 407, challengeHeaders)

const bare = { 'Content-Length': '0', Connection: 'close' }

function refuse(
  client: Duplex,
  status: 400 | 403 | 407 | 502,
  headers: Readonly<Record<string, string>> = bare,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`)
  // Unread bytes would keep the client's end of stream from being seen.
  client.resume()
}

function splice(client: Duplex, target: Socket, head: Buffer): void {
  if (client.destroyed) {
    target.destroy()
    return
  }
  // Either side may end its own stream and still read (half-open).
  target.allowHalfOpen = true
  client.write(established)
  if (head.length > 0) target.write(head)
  client.pipe(target)
  pipePaced(target, client)
  endTogether(client, target)
  endTogether(target, client)
}

/** Destroys the other side when one breaks off; an orderly end reaches it through the pipe. */
function endTogether(side: Duplex, other: Duplex): void {
  side.once('close', () => {
    if (!side.readableEnded || !side.writableFinished) other.destroy()
  })
}

/** Calls `onEnd` if this side ends or closes before the other. */
function onFirstToEnd(side: Duplex, other: Duplex, onEnd: () => void): void {
  const check = () => {
    if (!other.readableEnded && !other.destroyed) onEnd()
  }
  side.once('end', check)
  side.once('close', check)
}
