import type { Socket } from 'node:net'
import type { ProxyUser } from '../../domain/proxy/proxy.ts'
import { addressBytes } from '../../runtime/ip-block.ts'
import { outboundError } from '../outbound-error.ts'
import { readBytes } from './read-handshake.ts'

const version = 5
const noAuthentication = 0
const byPassword = 2
const toConnect = 1
const kinds = { ipv4: 1, name: 3, ipv6: 4 }

/**
 * Opens a SOCKS5 tunnel on an authenticated connection; the proxy resolves names. Our own client, because it is
 * shorter than making a library use sockets that the guard has checked.
 */
export async function openSocksTunnel(
  socket: Socket,
  target: { host: string; port: number },
): Promise<void> {
  socket.write(request(target))
  const [answeredVersion, reply = 1, , kind] = await readBytes(socket, 4)
  if (answeredVersion !== version) throw unusable('The proxy does not speak SOCKS5.')
  if (reply !== 0) throw refused(`The proxy answered: ${replies[reply] ?? `error ${reply}`}.`)
  await readBytes(socket, (await boundLength(socket, kind)) + 2)
}

/** The SOCKS5 greeting and authentication (RFC 1928 and 1929), before any target is named. */
export async function signInToSocks(socket: Socket, user: ProxyUser | undefined): Promise<void> {
  const methods = user ? [byPassword, noAuthentication] : [noAuthentication]
  socket.write(Buffer.from([version, methods.length, ...methods]))
  const [answeredVersion, method = -1] = await readBytes(socket, 2)
  if (answeredVersion !== version) throw unusable('The proxy does not speak SOCKS5.')
  if (!methods.includes(method)) throw unusable('The proxy wants another authentication method.')
  if (user && method === byPassword) await sendPassword(socket, user)
}

async function sendPassword(socket: Socket, { name, password }: ProxyUser): Promise<void> {
  socket.write(Buffer.concat([Buffer.from([1]), withLength(name), withLength(password)]))
  const [, status] = await readBytes(socket, 2)
  if (status !== 0) throw unusable('The proxy refused the credentials.')
}

function request({ host, port }: { host: string; port: number }): Buffer {
  const head = Buffer.from([version, toConnect, 0])
  return Buffer.concat([head, encodeHost(host), Buffer.from([port >> 8, port & 0xff])])
}

function encodeHost(host: string): Buffer {
  const address = addressBytes(host)
  if (!address) return Buffer.concat([Buffer.from([kinds.name]), withLength(host)])
  const kind = address.length === 4 ? kinds.ipv4 : kinds.ipv6
  return Buffer.concat([Buffer.from([kind]), address])
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 255) throw refused('SOCKS5 limits names and passwords to 255 bytes.')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** The length of the proxy's bound address, which is skipped. */
async function boundLength(socket: Socket, kind: number | undefined): Promise<number> {
  if (kind === kinds.ipv4) return 4
  if (kind === kinds.ipv6) return 16
  if (kind !== kinds.name) throw unusable('The proxy does not speak SOCKS5.')
  const [length = 0] = await readBytes(socket, 1)
  return length
}

const replies: Record<number, string> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'time to live expired',
  7: 'command not supported',
  8: 'address type not supported',
}

const refused = (reason: string) => outboundError('proxy', new Error(reason))
const unusable = (reason: string) => outboundError('proxy_unusable', new Error(reason))
