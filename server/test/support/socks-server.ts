import { once } from 'node:events'
import type { Socket } from 'node:net'
import { dialTarget, type ProxyControl, splice } from './proxy-control.ts'

/** One client of a SOCKS5 server that takes names, IPv4 and IPv6, with a password where one is expected. */
export function serveSocks(client: Socket, desk: ProxyControl): void {
  talk(client, desk).catch(() => client.destroy())
}

async function talk(client: Socket, desk: ProxyControl): Promise<void> {
  const [, count = 0] = await read(client, 2)
  const methods = await read(client, count)
  const method = desk.expectedUser !== undefined || methods.includes(2) ? 2 : 0
  if (!methods.includes(method)) return void client.end(Buffer.from([5, 0xff]))
  client.write(Buffer.from([5, method]))
  const user = method === 2 ? await readUser(client) : undefined
  if (method === 2) {
    const isWelcome = desk.behaviour() !== 'unauthorized' && (desk.expectedUser ?? user) === user
    client.write(Buffer.from([1, isWelcome ? 0 : 1]))
    if (!isWelcome) return void client.end()
  }
  const [, , , kind] = await read(client, 4)
  const host = await readHost(client, kind ?? 0)
  const port = (await read(client, 2)).readUInt16BE()
  desk.record({ kind: 'tunnel', target: `${host}:${port}`, user })
  if (desk.isHeld(`${host}:${port}`)) return
  const target =
    desk.behaviour() === 'refuse' ? undefined : await dialTarget(desk.addressOf(host, port))
  client.write(Buffer.from([5, target ? 0 : 5, 0, 1, 0, 0, 0, 0, 0, 0]))
  if (target) splice(client, target)
  else client.end()
}

async function readUser(client: Socket): Promise<string> {
  const [, nameLength = 0] = await read(client, 2)
  const name = await read(client, nameLength)
  const [passwordLength = 0] = await read(client, 1)
  return `${name}:${await read(client, passwordLength)}`
}

async function readHost(client: Socket, kind: number): Promise<string> {
  if (kind === 1) return (await read(client, 4)).join('.')
  if (kind === 3) return (await read(client, (await read(client, 1))[0] ?? 0)).toString()
  const groups = await read(client, 16)
  const hexadecimal = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => groups.readUInt16BE(at).toString(16))
  return new URL(`http://[${hexadecimal.join(':')}]`).hostname
}

async function read(client: Socket, count: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0)
  for (;;) {
    const bytes: Buffer | null = client.read(count)
    if (bytes?.length === count) return bytes
    if (client.readableEnded || client.destroyed)
      throw new Error('The SOCKS client has disconnected.')
    await once(client, 'readable', { signal: AbortSignal.timeout(15_000) })
  }
}
