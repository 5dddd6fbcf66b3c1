import assert from 'node:assert/strict'
import { BlockList, isIPv4 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { blocksContaining, canonicalBlock, isLoopbackHost, networkOf } from './ip-block.ts'

const spellings: [given: string, canonical: string | undefined][] = [
  ['192.0.2.1', '192.0.2.1'],
  [' 192.0.2.1 ', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:C000:0201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1/32', '192.0.2.1'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::ffff:10.1.2.3/104', '10.0.0.0/8'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8::1/128', '2001:db8::1'],
  ['2001:db8:1:2::3/32', '2001:db8::/32'],
  ['::', '::'],
  ['::/0', '::/0'],
  ['::1', '::1'],
  ['', undefined],
  ['192.0.2', undefined],
  ['192.0.2.256', undefined],
  ['192.000.002.001', undefined],
  ['0x7f.1', undefined],
  ['2130706433', undefined],
  ['192.0.2.1/33', undefined],
  ['192.0.2.1/08', undefined],
  ['192.0.2.1/', undefined],
  ['192.0.2.1/-1', undefined],
  ['192.0.2.1/8/8', undefined],
  ['fe80::1%eth0', undefined],
  ['[::1]', undefined],
  ['localhost', undefined],
  ['::1/129', undefined],
]

for (const [given, canonical] of spellings) {
  test(`${JSON.stringify(given)} is ${canonical ?? 'no address'}`, () => {
    assert.equal(canonicalBlock(given), canonical)
  })
}

const addresses = fc.oneof(fc.ipV4(), fc.ipV6())
const blocks = fc
  .tuple(addresses, fc.nat(128))
  .map(([address, prefix]) => `${address}/${isIPv4(address) ? prefix % 33 : prefix}`)

test('the canonical form is its own canonical form', () => {
  fc.assert(
    fc.property(fc.oneof(addresses, blocks), (text) => {
      const canonical = canonicalBlock(text)
      assert.ok(canonical !== undefined)
      assert.equal(canonicalBlock(canonical), canonical)
    }),
  )
})

test('an address is in a block exactly when the block is among those that contain it', () => {
  fc.assert(
    fc.property(addresses, blocks, (address, block) => {
      const [start = '', prefix = ''] = block.split('/')
      const list = new BlockList()
      list.addSubnet(start, Number(prefix), isIPv4(start) ? 'ipv4' : 'ipv6')
      const own = canonicalBlock(address) ?? ''
      const canonical = canonicalBlock(block) ?? ''
      fc.pre(canonical.includes('.') === own.includes('.'))
      assert.equal(
        blocksContaining(address).includes(canonical),
        list.check(own, isIPv4(own) ? 'ipv4' : 'ipv6'),
      )
    }),
    { numRuns: 2000 },
  )
})

test('the network of an IPv4 address is the address, that of an IPv6 address its /64', () => {
  const networks = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['', ''],
  ]

  for (const [address = '', network] of networks) assert.equal(networkOf(address), network)
})

test('a loopback host is seen as such', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) assert.ok(isLoopbackHost(host))
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com'])
    assert.ok(!isLoopbackHost(host))
})
