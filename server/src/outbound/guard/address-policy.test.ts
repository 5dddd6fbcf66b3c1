import assert from 'node:assert/strict'
import { isIPv4 } from 'node:net'
import { test } from 'node:test'
import { createAddressPolicy, type EgressRules } from './address-policy.ts'
import { metadataAddresses } from './metadata-addresses.ts'

const allowing = (...blocks: string[]): EgressRules => ({
  allow: blocks.map((block) => ({ purpose: undefined, block })),
  mayCallBackToLoopback: false,
  ownAddresses: () => new Set(['93.184.216.34']),
})

function isAllowed(address: string, ...blocks: string[]): boolean {
  const isAllowedFor = createAddressPolicy(allowing(...blocks))
  const verdict = isAllowedFor(address, 'target')
  // Every rule in this file is for both purposes.
  assert.equal(isAllowedFor(address, 'callback'), verdict, address)
  return verdict
}

const hexOf = (address: string): string[] =>
  address.split('.').map((octet) => Number(octet).toString(16).padStart(2, '0'))

/** How tunnels and translators embed an IPv4 address, each with the block of such addresses. */
const wrappings: [name: string, block: string, wrap: (address: string) => string][] = [
  ['IPv4-mapped', '::/0', (address) => `::ffff:${address}`],
  ['IPv4-mapped in hex', '::/0', (address) => `::ffff:${pairs(address)}`],
  ['IPv4-compatible', '::/96', (address) => `::${address}`],
  ['IPv4-translated', '::ffff:0:0:0/96', (address) => `::ffff:0:${address}`],
  ['NAT64', '64:ff9b::/96', (address) => `64:ff9b::${address}`],
  ['NAT64 of the network, /96', '64:ff9b:1::/48', (address) => `64:ff9b:1::${address}`],
  ['NAT64 of the network, /64', '64:ff9b:1::/48', (address) => `64:ff9b:1:0:${at64(address)}`],
  ['NAT64 of the network, /56', '64:ff9b:1::/48', (address) => `64:ff9b:1:${at56(address)}`],
  ['NAT64 of the network, /48', '64:ff9b:1::/48', (address) => `64:ff9b:1:${at48(address)}`],
  ['6to4', '2002::/16', (address) => `2002:${pairs(address)}::1`],
  ['Teredo server', '2001::/32', (address) => `2001:0:${pairs(address)}:0:ffff:f7f7:f7f7`],
  ['Teredo client', '2001::/32', (address) => `2001:0:808:808:0:ffff:${pairs(inverted(address))}`],
  ['ISATAP', 'fe80::/10', (address) => `fe80::5efe:${address}`],
  ['ISATAP, global', '2606:4700::/32', (address) => `2606:4700::200:5efe:${address}`],
]

/** NAT64 addresses under a prefix that a network has chosen itself. */
const anyPrefix: [name: string, wrap: (address: string) => string][] = [
  ['/96', (address) => `2606:4700:64::${address}`],
  ['/64', (address) => `2606:4700:64:0:${at64(address)}`],
  ['/56', (address) => `2606:4700:64:${at56(address)}`],
  ['/48', (address) => `2606:4700:64:${at48(address)}`],
  ['/40', (address) => `2606:4700:64${hexOf(address)[0]}:${at40(address)}`],
  ['/32', (address) => `2606:4700:${pairs(address)}::`],
]

function pairs(address: string): string {
  const [a, b, c, d] = hexOf(address)
  return `${a}${b}:${c}${d}`
}

function at64(address: string): string {
  const [a, b, c, d] = hexOf(address)
  return `00${a}:${b}${c}:${d}00:0`
}

function at56(address: string): string {
  const [a, b, c, d] = hexOf(address)
  return `00${a}:00${b}:${c}${d}:0:0`
}

function at48(address: string): string {
  const [a, b, c, d] = hexOf(address)
  return `${a}${b}:00${c}:${d}00:0:0`
}

function at40(address: string): string {
  const [, b, c, d] = hexOf(address)
  return `${b}${c}:00${d}:0:0:0`
}

const inverted = (address: string): string =>
  address
    .split('.')
    .map((octet) => Number(octet) ^ 255)
    .join('.')

const everything = ['0.0.0.0/0', '::/0']

test('the never-open list has every known metadata address, each with a source', () => {
  const known = [
    '100.100.100.200',
    '100.96.0.96',
    '168.63.129.16',
    '169.254.0.23',
    '169.254.129.0/24',
    '169.254.130.0/24',
    '169.254.169.252',
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.42.42',
    '192.0.0.192',
    'fd00:100::100:200',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:c1::a9fe:a9fe',
    'fd00:ec2::23',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
  ]

  assert.deepEqual(metadataAddresses.map(({ address }) => address).sort(), known)
  for (const { source } of metadataAddresses) assert.match(source, /^https:/)
})

/** For a block, one address of it. */
const named = metadataAddresses.map(({ address, service }) => ({
  address: address.replace(/\.0\/24$/, '.3'),
  service,
}))

for (const { address, service } of named) {
  test(`no setting opens ${address} (${service})`, () => {
    const spellings = isIPv4(address)
      ? [...wrappings.map(([, , wrap]) => wrap), ...anyPrefix.map(([, wrap]) => wrap)].map((wrap) =>
          wrap(address),
        )
      : [address.toUpperCase(), `${address}%eth0`]

    for (const spelling of [address, ...spellings]) {
      assert.equal(isAllowed(spelling, ...everything), false, spelling)
      assert.equal(isAllowed(spelling, ...everything, address), false, `${spelling} by its name`)
      assert.equal(isAllowed(spelling), false, `${spelling} with nothing opened`)
    }
  })
}

for (const [name, block, wrap] of wrappings) {
  test(`an IPv4 address embedded as ${name} must be allowed itself`, () => {
    assert.equal(isAllowed(wrap('10.1.2.3'), block), false, 'private')
    assert.equal(isAllowed(wrap('127.0.0.1'), block), false, 'loopback')
    assert.equal(isAllowed(wrap('93.184.216.34'), block), false, 'of this machine')
    assert.equal(isAllowed(wrap('8.8.8.8'), block), true, 'public')
    assert.equal(isAllowed(wrap('10.1.2.3'), block, '10.0.0.0/8'), true, 'opened')
  })
}

test('allowing all IPv6 addresses allows no IPv4 address, and the other way round', () => {
  assert.equal(isAllowed('10.1.2.3', '::/0'), false)
  assert.equal(isAllowed('127.0.0.1', '::/64'), false)
  assert.equal(isAllowed('fd00::1', '0.0.0.0/0'), false)
  assert.equal(isAllowed('fd00::1', '::/0'), true)
})

test('a public IPv6 address is allowed, whatever its last bytes would be in IPv4', () => {
  for (const address of ['2606:4700::1', '2a00:1450:4001:81c::200e', '2606:4700::a00:1']) {
    assert.equal(isAllowed(address), true, address)
  }
})

test('an address that an interface gets at run time is refused from then on', () => {
  const ownAddresses = new Set<string>()
  const isAllowedFor = createAddressPolicy({ ...allowing(), ownAddresses: () => ownAddresses })
  const addresses = ['93.184.216.40', '::ffff:93.184.216.40', '2606:4700::40', '2606:4700:0::40']
  const allowed = () => addresses.filter((address) => isAllowedFor(address, 'target'))
  const before = allowed().length

  ownAddresses.add('93.184.216.40').add('2606:4700::40')

  assert.equal(before, 4)
  assert.deepEqual(allowed(), [])
})
