import { isIPv4 } from 'node:net'
import type { DnsReply } from './test-dns.ts'

/** A URL that the SSRF guard must refuse, and the address that it would reach without the guard. */
export interface ForbiddenUrl {
  url(port: number): string
  /** An address that a test can listen on; undefined if it is not on this machine. */
  reaches: string | undefined
}

/** A name for a test's DNS server, and the address that a connection to it would reach. */
export interface ForbiddenName {
  name: string
  reply: DnsReply
  reaches: string | undefined
}

/** Loopback addresses that Linux lets any user listen on. */
export const loopback = ['127.0.0.1', '127.8.8.8', '::1']

const elsewhere = [
  '10.1.2.3',
  '100.64.1.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.5.4',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  'fd00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '4000::1',
  '5f00::1',
  '64:ff9b::7f00:1',
]

/** Every spelling of every forbidden address as a URL; `ownAddresses` are those of this machine. */
export function forbiddenUrls(ownAddresses: readonly string[] = []): ForbiddenUrl[] {
  const hosts = addressesFor(ownAddresses).flatMap(({ address, reaches }) =>
    isIPv4(address)
      ? [
          ...ipv4Spellings(address).map((host) => ({ host, reaches })),
          ...mappedSpellings(address).map((host) => ({ host, reaches })),
          ...wrappedSpellings(address).map((host) => ({ host, reaches: undefined })),
        ]
      : ipv6Spellings(address).map((host) => ({ host, reaches })),
  )
  const names = [...localNames, ...ambiguousNames].map((host) => ({ host, reaches: undefined }))
  const localhosts = localhostSpellings.map((host) => ({ host, reaches: '127.0.0.1' }))
  return [
    ...[...hosts, ...names, ...localhosts].map(({ host, reaches }) => ({
      url: (port: number) => `http://${host}:${port}/`,
      reaches,
    })),
    ...loopback.flatMap(disguisedUrls),
  ]
}

/** Harmless-looking names with forbidden addresses: direct, by CNAME, IPv4-mapped, among others. */
export function forbiddenNames(ownAddresses: readonly string[] = []): ForbiddenName[] {
  const plain = addressesFor(ownAddresses).flatMap(({ address, reaches }, index) => [
    { name: `plain-${index}.example.com`, reply: { addresses: [address] }, reaches },
    {
      name: `alias-${index}.example.com`,
      reply: { addresses: [address], cname: `behind-${index}.example.net` },
      reaches,
    },
    ...(isIPv4(address)
      ? [
          {
            name: `mapped-${index}.example.com`,
            reply: { addresses: [`::ffff:${address}`] },
            reaches,
          },
        ]
      : []),
  ])
  const many = { addresses: ['10.0.0.1', '127.0.0.1', '::1', '192.168.0.1'], ttl: 0 }
  return [
    ...plain,
    { name: 'many.example.com', reply: many, reaches: undefined },
    {
      name: 'xn--lcalhost-54a.example.com',
      reply: { addresses: ['127.0.0.1'] },
      reaches: '127.0.0.1',
    },
  ]
}

function addressesFor(own: readonly string[]): { address: string; reaches: string | undefined }[] {
  return [
    ...loopback.map((address) => ({ address, reaches: address })),
    // The kernel connects "any address" to this machine.
    { address: '0.0.0.0', reaches: '127.0.0.1' },
    { address: '::', reaches: '::1' },
    ...own.map((address) => ({ address, reaches: address })),
    ...elsewhere.map((address) => ({ address, reaches: undefined })),
  ]
}

function ipv4Spellings(address: string): string[] {
  const octets = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = octets
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const octal = (value: number) => `0${value.toString(8)}`
  const hex = (value: number) => `0x${value.toString(16)}`
  return [
    address,
    `${address}.`,
    `${whole}`,
    hex(whole),
    hex(whole).toUpperCase(),
    octal(whole),
    `0x${whole.toString(16).padStart(12, '0')}`,
    octets.map(octal).join('.'),
    octets.map(hex).join('.'),
    octets.map((octet) => `000000${octet.toString(8)}`).join('.'),
    [hex(a), `${b}`, octal(c), `${d}`].join('.'),
    [octal(a), hex(b), `${c}`, hex(d)].join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${hex(a)}.${hex((b * 256 + c) * 256 + d)}`,
    digitsAs(address, (digit) => String.fromCodePoint(0xff10 + digit)),
    digitsAs(address, (digit) => (digit === 0 ? '⓪' : String.fromCodePoint(0x245f + digit))),
    digitsAs(address, (digit) => String.fromCodePoint(0x1d7ce + digit)),
    digitsAs(address, (digit) => `%3${digit}`),
    ...['。', '．', '｡', '%2e', '%2E'].map((dot) => address.replaceAll('.', dot)),
  ]
}

const digitsAs = (address: string, spell: (digit: number) => string): string =>
  address.replace(/\d/g, (digit) => spell(Number(digit)))

function hexPair(address: string): [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}

function mappedSpellings(address: string): string[] {
  const pair = hexPair(address).join(':')
  return [
    `[::ffff:${address}]`,
    `[::FFFF:${pair}]`,
    `[0:0:0:0:0:ffff:${pair}]`,
    `[0000:0000:0000:0000:0000:FFFF:${address}]`,
  ]
}

/** IPv4 addresses embedded in IPv6, as tunnels and translators (6to4, NAT64) write them. */
function wrappedSpellings(address: string): string[] {
  const pair = hexPair(address).join(':')
  return [
    `[::${address}]`,
    `[::ffff:0:${pair}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${pair}]`,
    `[2002:${pair}::1]`,
    `[2001:0:${pair}::1]`,
    `[fe80::5efe:${address}]`,
  ]
}

function ipv6Spellings(address: string): string[] {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const left = groups(head)
  const right = groups(tail)
  const all = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  const padded = all.map((group) => group.padStart(4, '0'))
  return [
    `[${address}]`,
    `[${address.toUpperCase()}]`,
    `[${all.join(':')}]`,
    `[${padded.join(':')}]`,
    `[${padded.join(':').toUpperCase()}]`,
  ]
}

const localhostSpellings = [
  'localhost',
  'LOCALHOST',
  'LocalHost',
  'localhost.',
  'ｌｏｃａｌｈｏｓｔ',
  'loc%61lhost',
  'ⓛocalhost',
  'local\u00adhost',
]

const localNames = [
  'foo.localhost',
  'localhost.localdomain.localhost',
  'printer',
  'printer.local',
  'router.lan',
  'nas.home.arpa',
  'wiki.intranet',
  'db.internal',
  'metadata',
  'metadata.google.internal',
  'METADATA.GOOGLE.INTERNAL.',
  'metadata.tencentyun.com',
  'host.docker.internal',
  'api.default.svc',
  'api.default.svc.cluster.local',
  'hidden.onion',
  '127.0.0.1.1',
  '1.2.3.4.5',
]

/** What some proxy may read as another name, or as an address. */
export const ambiguousNames = [
  '.',
  '..',
  '127.0.0.1..',
  '127.0.0.1...',
  '169.254.169.254...',
  '.127.0.0.1',
  '127..0.0.1',
  '0x7f.1..',
  '2130706433..',
  '127.0.0.1%2e%2e',
  '127.0.0.1。。',
  'localhost..',
  'localhost...',
  'LOCALHOST...',
  '.localhost',
  'metadata.google.internal..',
  'printer.local..',
  'name..',
  'a..b',
  '.example.com',
  'www..example.com',
  'www.example.com..',
  '127.0.0.1,.example.com',
  '127.0.0.1;.example.com',
  "127.0.0.1'.example.com",
  '127.0.0.1".example.com',
  '127.0.0.1(.example.com',
  '127.0.0.1!.example.com',
  '127.0.0.1$.example.com',
  '127.0.0.1&.example.com',
  '127.0.0.1*.example.com',
  '127.0.0.1+.example.com',
  '127.0.0.1=.example.com',
  '127.0.0.1`.example.com',
  '127.0.0.1{}.example.com',
  '127.0.0.1~.example.com',
  `${'a'.repeat(64)}.example.com`,
  `${'a.'.repeat(122)}example.com`,
]

/** One address in URLs that try to look like something else. */
function disguisedUrls(address: string): ForbiddenUrl[] {
  const host = isIPv4(address) ? address : `[${address}]`
  const dresses = [
    (port: number) => `HTTP://${host}:${port}/`,
    (port: number) => `http:${host}:${port}/`,
    (port: number) => `http:/${host}:${port}/`,
    (port: number) => `http:////${host}:${port}/`,
    (port: number) => `http:\\\\${host}:${port}\\`,
    (port: number) => `http:\\${host}:${port}/`,
    (port: number) => `  http://${host}:${port}/`,
    (port: number) => `ht\ttp://${host}:${port}/`,
    (port: number) => `http://\n${host}\r:${port}/`,
    (port: number) => `\u0000http://${host}:${port}/`,
    (port: number) => `http://${host}:0${port}/`,
    (port: number) => `http://${host}:${port}?@example.com/`,
    (port: number) => `http://${host}:${port}#@example.com/`,
    (port: number) => `http://${host}:${port}\\@example.com/`,
    (port: number) => `http://${host}:${port}/.example.com/`,
    (port: number) => `http://user:secret@${host}:${port}/`,
    (port: number) => `http://example.com@${host}:${port}/`,
    (port: number) => `http://example.com:80@${host}:${port}/`,
    (port: number) => `http://example.com%2f@${host}:${port}/`,
    (port: number) => `http://a@b@${host}:${port}/`,
  ]
  return dresses.map((url) => ({ url, reaches: address }))
}
