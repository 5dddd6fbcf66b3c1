import assert from 'node:assert/strict'
import { BlockList, isIPv4 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { blocksContaining, canonicalBlock, isLoopbackHost, isWider, networkOf } from './ip-block.ts'

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
  test(`the canonical form of ${JSON.stringify(given)} is ${canonical ?? 'undefined'}`, () => {
    assert.equal(canonicalBlock(given), canonical)
  })
}

const addresses = fc.oneof(fc.ipV4(), fc.ipV6())
const blocks = fc
  .tuple(addresses, fc.nat(128))
  .map(([address, prefix]) => `${address}/${isIPv4(address) ? prefix % 33 : prefix}`)

test('canonicalising a canonical form does not change it', () => {
  fc.assert(
    fc.property(fc.oneof(addresses, blocks), (text) => {
      const canonical = canonicalBlock(text)
      assert.ok(canonical !== undefined)
      assert.equal(canonicalBlock(canonical), canonical)
    }),
  )
})

test('blocksContaining lists exactly the blocks that an address is in', () => {
  fc.assert(
    fc.property(addresses, blocks, (address, block) => {
      const [start = '', prefix = ''] = block.split('/')
      const list = new BlockList()
      list.addSubnet(start, Number(prefix), isIPv4(start) ? 'ipv4' : 'ipv6')
      const own = canonicalBlock(address) ?? ''
      const canonical = canonicalBlock(block) ?? ''
      fc.pre(canonical.includes('.') === own.includes('.'))
      assert.equal(
        blocksContaining(address, { ipv4: 0, ipv6: 0 }).includes(canonical),
        list.check(own, isIPv4(own) ? 'ipv4' : 'ipv6'),
      )
    }),
    { numRuns: 2000 },
  )
})

test('blocksContaining goes from the longest prefix to the shortest allowed', () => {
  const shortest = { ipv4: 30, ipv6: 126 }

  assert.deepEqual(blocksContaining('::ffff:192.0.2.7', shortest), [
    '192.0.2.7',
    '192.0.2.6/31',
    '192.0.2.4/30',
  ])
  assert.deepEqual(blocksContaining('2001:db8::7', shortest), [
    '2001:db8::7',
    '2001:db8::6/127',
    '2001:db8::4/126',
  ])
  assert.deepEqual(blocksContaining('nonsense', shortest), [])
})

test('a block is too wide if its prefix is too short or it contains all of mapped IPv4', () => {
  const widths: [block: string, isTooWide: boolean][] = [
    ['192.0.2.1', false],
    ['192.0.0.0/16', false],
    ['192.0.0.0/15', true],
    ['0.0.0.0/0', true],
    ['::ffff:192.0.0.0/112', false],
    ['::ffff:192.0.0.0/111', true],
    ['::ffff:0:0/96', true],
    ['::fffe:0:0/95', true],
    ['::/64', true],
    ['::1', false],
    ['::1:0:0:0/80', false],
    ['2001:db8::/32', false],
    ['2001:db8::/31', true],
    ['::/0', true],
  ]

  for (const [block, isTooWide] of widths) {
    const canonical = canonicalBlock(block) ?? ''
    assert.equal(isWider(canonical, { ipv4: 16, ipv6: 32 }), isTooWide, block)
  }
})

test('the network of an IPv4 address is the address, that of an IPv6 address its /48', () => {
  const networks = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['', ''],
  ]

  for (const [address = '', network] of networks) assert.equal(networkOf(address), network)
})

test('localhost, 127.0.0.0/8 and ::1 are loopback hosts, and no others', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) assert.ok(isLoopbackHost(host))
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com'])
    assert.ok(!isLoopbackHost(host))
})
