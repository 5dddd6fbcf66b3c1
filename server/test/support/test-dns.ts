import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv4, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** The records of a name. With `cname`, the addresses are those of the other name. */
export type DnsReply =
  | { addresses: string[]; ttl?: number; cname?: string }
  | 'SERVFAIL'
  | 'REFUSED'
  | 'NXDOMAIN'
  | 'silence'

/** The same reply every time, or one that depends on how often the name was queried before. */
export type DnsBehaviour =
  | DnsReply
  | ((asked: { type: RecordType; before: number }) => DnsReply | Promise<DnsReply>)

export interface TestDns {
  /** The address for a list of DNS servers. */
  readonly address: string
  set(name: string, behaviour: DnsBehaviour): void
  /** How many queries of this type came for a name. */
  asked(name: string, type: RecordType): number
}

type RecordType = 'A' | 'AAAA'

interface Question {
  id: number
  name: string
  type: number
  /** The bytes of the question, which the reply must repeat. */
  bytes: Buffer
}

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 }
const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }
const datagramBytesMax = 1200

/** A DNS server on loopback with the records that a test sets; unknown names do not exist. */
export async function startTestDns(
  t: Pick<TestContext, 'after'>,
  zone: Record<string, DnsBehaviour> = {},
): Promise<TestDns> {
  const names = new Map(Object.entries(zone))
  const counts = new Map<string, number>()

  const answer = async (query: Buffer): Promise<Buffer | undefined> => {
    const question = readQuestion(query)
    const type = question.type === typeNumbers.AAAA ? 'AAAA' : 'A'
    const key = `${type} ${question.name}`
    const before = counts.get(key) ?? 0
    counts.set(key, before + 1)
    const behaviour = names.get(question.name) ?? 'NXDOMAIN'
    const reply = typeof behaviour === 'function' ? await behaviour({ type, before }) : behaviour
    if (reply === 'silence') return undefined
    return typeof reply === 'string'
      ? packet(question, [], codes[reply])
      : packet(question, recordsOf(question, type, reply), 0)
  }

  const port = await listen(t, answer)
  return {
    address: `127.0.0.1:${port}`,
    set: (name, behaviour) => names.set(name, behaviour),
    asked: (name, type) => counts.get(`${type} ${name}`) ?? 0,
  }
}

/** Listens on one port over UDP and TCP: a truncated UDP reply is queried again over TCP. */
async function listen(
  t: Pick<TestContext, 'after'>,
  answer: (query: Buffer) => Promise<Buffer | undefined>,
): Promise<number> {
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', async (message) => {
      const reply = await answer(message.subarray(2))
      if (reply) socket.write(Buffer.concat([uint16(reply.length), reply]))
    })
  })
  const udp = await bindBeside(tcp)
  udp.on('message', async (query, from) => {
    const reply = await answer(query)
    if (reply) udp.send(fitted(reply), from.port, from.address)
  })
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    tcp.close()
    udp.close()
  })
  return udp.address().port
}

const portsTried = 20

/** Retries, because a port that is free for one protocol may be taken for the other. */
export async function bindBeside(tcp: Server, host = '127.0.0.1'): Promise<UdpSocket> {
  for (let tried = 1; ; tried += 1) {
    const udp = createSocket(isIPv4(host) ? 'udp4' : 'udp6')
    udp.bind(0, host)
    await once(udp, 'listening')
    tcp.listen(udp.address().port, host)
    try {
      await once(tcp, 'listening')
      return udp
    } catch (error) {
      udp.close()
      if (tried === portsTried) throw error
    }
  }
}

/** Only the header and the question, with the truncation (TC) bit set. */
function fitted(reply: Buffer): Buffer {
  if (reply.length <= datagramBytesMax) return reply
  const head = Buffer.from(reply.subarray(0, questionEnd(reply)))
  head.writeUInt16BE(head.readUInt16BE(2) | 0x0200, 2)
  head.writeUInt16BE(0, 6)
  return head
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    id: query.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(12, questionEnd(query)),
  }
}

function questionEnd(message: Buffer): number {
  const nameEnd = message.indexOf(0, 12)
  return nameEnd + 5
}

function recordsOf(
  { name }: Question,
  type: RecordType,
  { addresses, ttl = 60, cname }: Exclude<DnsReply, string>,
): Buffer[] {
  const ofType = addresses.filter((address) => isIPv4(address) === (type === 'A'))
  const records = ofType.map((address) =>
    record(cname ?? name, typeNumbers[type], ttl, addressBytes(address)),
  )
  return cname === undefined
    ? records
    : [record(name, typeNumbers.CNAME, ttl, nameBytes(cname)), ...records]
}

const record = (name: string, type: number, ttl: number, data: Buffer): Buffer =>
  Buffer.concat([
    nameBytes(name),
    uint16(type),
    uint16(1),
    uint16(ttl >>> 16),
    uint16(ttl & 0xffff),
    uint16(data.length),
    data,
  ])

const packet = ({ id, bytes }: Question, records: Buffer[], code: number): Buffer =>
  Buffer.concat([
    uint16(id),
    uint16(0x8180 | code),
    uint16(1),
    uint16(records.length),
    uint16(0),
    uint16(0),
    bytes,
    ...records,
  ])

const nameBytes = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ])

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const left = groups(head)
  const right = groups(tail)
  const gap = Array<string>(8 - left.length - right.length).fill('0')
  return Buffer.concat(
    [...left, ...gap, ...right].map((group) => uint16(Number.parseInt(group, 16))),
  )
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
