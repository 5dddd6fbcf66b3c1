import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutboundError } from '../../src/outbound/outbound-error.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { startTestDns } from '../support/test-dns.ts'

const tenSeconds = { signal: new AbortController().signal, deadlineMs: 10_000 }

const failing = (problem: string) => (error: unknown) =>
  error instanceof OutboundError && error.problem === problem

test('IPv4 and IPv6 are both queried, and their addresses are interleaved', async (t) => {
  const dns = await startTestDns(t, {
    'both.example.com': { addresses: ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'] },
  })
  const resolver = createResolver({ servers: [dns.address] })

  const addresses = await resolver.resolve('both.example.com', tenSeconds)

  assert.deepEqual(addresses, ['192.0.2.1', '2001:db8::1', '192.0.2.2', '2001:db8::2'])
})

test('a family without a DNS answer does not delay the other', async (t) => {
  const dns = await startTestDns(t, {
    'half.example.com': ({ type }) => (type === 'A' ? { addresses: ['192.0.2.1'] } : 'silence'),
    'mute.example.com': 'silence',
  })
  const resolver = createResolver({ servers: [dns.address] })
  const lookup = resolver.lookUp('mute.example.com')

  const resolved = resolver.resolve('half.example.com', tenSeconds)

  assert.deepEqual(await Promise.race([resolved, lookup.completed]), ['192.0.2.1'])
})

test('only sixteen of a thousand addresses are used', async (t) => {
  const thousand = Array.from({ length: 1000 }, (_, index) => `198.51.${index >> 8}.${index & 255}`)
  const dns = await startTestDns(t, { 'many.example.com': { addresses: thousand } })
  const resolver = createResolver({ servers: [dns.address] })

  const addresses = await resolver.resolve('many.example.com', tenSeconds)

  assert.equal(addresses.length, 16)
})

test('the guard gets every address of a name, though dialling does not wait for all', async (t) => {
  const held = Promise.withResolvers<void>()
  const many = Array.from({ length: 300 }, (_, index) => `198.51.100.${index % 256}`)
  const dns = await startTestDns(t, {
    'late.example.com': async ({ type }) => {
      if (type === 'A') await held.promise
      return { addresses: [...many, '10.0.0.1', '2001:db8::1'], ttl: 60 }
    },
  })
  const resolver = createResolver({ servers: [dns.address] })

  const lookup = resolver.lookUp('late.example.com')
  assert.deepEqual(await resolver.resolve('late.example.com', tenSeconds), ['2001:db8::1'])
  assert.deepEqual(lookup.found, ['2001:db8::1'])
  held.resolve()
  await lookup.completed

  assert.deepEqual(lookup.found, ['2001:db8::1', ...many, '10.0.0.1'])
  assert.equal(dns.asked('late.example.com', 'AAAA'), 1)
})

test("a late answer of one family with a TTL of 0 expires the other's cache entry", async (t) => {
  const held = Promise.withResolvers<void>()
  const dns = await startTestDns(t, {
    'flip.example.com': async ({ type }) => {
      if (type === 'A') await held.promise
      return { addresses: ['192.0.2.1', '2001:db8::1'], ttl: type === 'A' ? 0 : 60 }
    },
  })
  const resolver = createResolver({ servers: [dns.address] })
  await resolver.resolve('flip.example.com', tenSeconds)
  const lookup = resolver.lookUp('flip.example.com')
  assert.equal(dns.asked('flip.example.com', 'AAAA'), 1)

  held.resolve()
  await lookup.completed

  await resolver.resolve('flip.example.com', tenSeconds)
  assert.equal(dns.asked('flip.example.com', 'AAAA'), 2)
})

test('a name that does not exist has no addresses to judge', async (t) => {
  const dns = await startTestDns(t)
  const lookup = createResolver({ servers: [dns.address] }).lookUp('nowhere.example.com')

  await lookup.completed

  assert.deepEqual(lookup.found, [])
})

test('DNS answers are cached for their TTL, and not at all when it is 0', async (t) => {
  const dns = await startTestDns(t, {
    'kept.example.com': { addresses: ['192.0.2.1'], ttl: 60 },
    'flip.example.com': ({ before }) => ({ addresses: [`192.0.2.${before}`], ttl: 0 }),
  })
  const resolver = createResolver({ servers: [dns.address] })

  const flips = []
  for (let turn = 0; turn < 3; turn++) {
    await resolver.resolve('kept.example.com', tenSeconds)
    flips.push(...(await resolver.resolve('flip.example.com', tenSeconds)))
  }

  assert.equal(dns.asked('kept.example.com', 'A'), 1)
  assert.deepEqual(flips, ['192.0.2.0', '192.0.2.1', '192.0.2.2'])
})

test('concurrent lookups of one name share one query', async (t) => {
  const dns = await startTestDns(t, { 'shared.example.com': { addresses: ['192.0.2.1'], ttl: 0 } })
  const resolver = createResolver({ servers: [dns.address] })

  await Promise.all(
    Array.from({ length: 50 }, () => resolver.resolve('shared.example.com', tenSeconds)),
  )

  assert.equal(dns.asked('shared.example.com', 'A'), 1)
})

test('an aborted lookup does not cancel the others that share its query', async (t) => {
  const held = Promise.withResolvers<void>()
  const dns = await startTestDns(t, {
    'shared.example.com': ({ type }) => {
      held.resolve()
      return type === 'A' ? { addresses: ['192.0.2.1'] } : 'silence'
    },
  })
  const resolver = createResolver({ servers: [dns.address] })
  const leaving = new AbortController()
  const left = resolver.resolve('shared.example.com', { ...tenSeconds, signal: leaving.signal })
  const stayed = resolver.resolve('shared.example.com', tenSeconds)

  leaving.abort()

  await assert.rejects(left, failing('aborted'))
  assert.deepEqual(await stayed, ['192.0.2.1'])
  await held.promise
})

test('a CNAME loop, or a name without records, has no address', async (t) => {
  const dns = await startTestDns(t, {
    'loop.example.com': { addresses: [], cname: 'loop.example.com' },
    'empty.example.com': { addresses: [] },
  })
  const resolver = createResolver({ servers: [dns.address] })

  await assert.rejects(resolver.resolve('loop.example.com', tenSeconds), failing('dns'))
  await assert.rejects(resolver.resolve('empty.example.com', tenSeconds), failing('dns'))
})

test('a failing DNS server is the problem "dns_silent", as one that does not answer', async (t) => {
  const dns = await startTestDns(t, {
    'failing.example.com': 'SERVFAIL',
    'silent.example.com': 'silence',
  })
  const resolver = createResolver({ servers: [dns.address] })
  const hastily = { ...tenSeconds, deadlineMs: 200 }

  await assert.rejects(resolver.resolve('failing.example.com', tenSeconds), failing('dns_silent'))
  await assert.rejects(resolver.resolve('silent.example.com', hastily), failing('dns_silent'))
})

for (const failure of ['SERVFAIL', 'REFUSED'] as const) {
  test(`the next DNS server is asked where one answers with ${failure}`, async (t) => {
    const name = 'known.example.com'
    const [broken, another] = [
      await startTestDns(t, { [name]: failure }),
      await startTestDns(t, { [name]: failure }),
    ]
    const healthy = await startTestDns(t, { [name]: { addresses: ['192.0.2.1'] } })
    const addressesOf = (...servers: { address: string }[]) =>
      createResolver({ servers: servers.map(({ address }) => address) }).resolve(name, tenSeconds)

    assert.deepEqual(await addressesOf(broken, another, healthy), ['192.0.2.1'])
    await assert.rejects(addressesOf(broken, another), failing('dns_silent'))
  })
}

test('localhost resolves to this machine, whatever the DNS says', async (t) => {
  const dns = await startTestDns(t, { localhost: { addresses: ['192.0.2.1'] } })
  const resolver = createResolver({ servers: [dns.address] })

  assert.deepEqual(await resolver.resolve('localhost', tenSeconds), ['127.0.0.1', '::1'])
  assert.equal(dns.asked('localhost', 'A'), 0)
})
