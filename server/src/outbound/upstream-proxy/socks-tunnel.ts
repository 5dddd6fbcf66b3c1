import { isIPv4, isIPv6, type Socket } from 'node:net'
import type { ProxyUser } from '../../domain/proxy/proxy.ts'
import { outboundError } from '../outbound-error.ts'
import { readBytes } from './read-handshake.ts'

const version = 5
const noSignIn = 0
const byPassword = 2
const toConnect = 1
const kinds = { ipv4: 1, name: 3, ipv6: 4 }

/**
 * Asks a SOCKS5 proxy that knows us for a tunnel. Names are sent as names. Ours, as it is shorter than
 * what it would take to have a library use the sockets that were judged here.
 */
export async function askForSocksTunnel(
  socket: Socket,
  target: { host: string; port: number },
): Promise<void> {
  socket.write(request(target))
  const [spoken, reply = 1, , kind] = await readBytes(socket, 4)
  if (spoken !== version) throw unusable('It does not speak SOCKS5.')
  if (reply !== 0) throw refused(`It answered: ${replies[reply] ?? `error ${reply}`}.`)
  await readBytes(socket, (await boundLength(socket, kind)) + 2)
}

/** What comes before it hears of any target, as RFC 1928 and 1929 have it. */
export async function signInToSocks(socket: Socket, user: ProxyUser | undefined): Promise<void> {
  const methods = user ? [byPassword, noSignIn] : [noSignIn]
  socket.write(Buffer.from([version, methods.length, ...methods]))
  const [spoken, method = -1] = await readBytes(socket, 2)
  if (spoken !== version) throw unusable('It does not speak SOCKS5.')
  if (!methods.includes(method)) throw unusable('It wants another way of signing in.')
  if (user && method === byPassword) await showPassword(socket, user)
}

async function showPassword(socket: Socket, { name, password }: ProxyUser): Promise<void> {
  socket.write(Buffer.concat([Buffer.from([1]), withLength(name), withLength(password)]))
  const [, status] = await readBytes(socket, 2)
  if (status !== 0) throw unusable('It refused the credentials.')
}

function request({ host, port }: { host: string; port: number }): Buffer {
  const portBytes = [port >> 8, port & 0xff]
  return Buffer.concat([Buffer.from([version, toConnect, 0]), place(host), Buffer.from(portBytes)])
}

function place(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([kinds.ipv4, ...host.split('.').map(Number)])
  if (isIPv6(host)) return Buffer.concat([Buffer.from([kinds.ipv6]), ipv6Bytes(host)])
  return Buffer.concat([Buffer.from([kinds.name]), withLength(host)])
}

/** Of an address as the URL parser spells it: groups of hexadecimal digits, zeros left out once. */
function ipv6Bytes(address: string): Buffer {
  const groupsOf = (part = '') => (part === '' ? [] : part.split(':'))
  const [before, after] = address.split('::').map(groupsOf)
  const left = before ?? []
  const right = after ?? []
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  const groups = [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]))
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > 255) throw refused('SOCKS5 knows no text of more than 255 bytes.')
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

/** Of the address that the proxy says it uses, which is of no interest. */
async function boundLength(socket: Socket, kind: number | undefined): Promise<number> {
  if (kind === kinds.ipv4) return 4
  if (kind === kinds.ipv6) return 16
  if (kind !== kinds.name) throw unusable('It does not speak SOCKS5.')
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
