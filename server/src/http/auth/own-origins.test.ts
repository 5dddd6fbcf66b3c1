import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Arrival, OwnOrigins } from './own-origins.ts'

const arrival = (
  host: string | string[] | undefined,
  localAddress = '127.0.0.1',
  localPort = 8080,
): Arrival => ({
  headersDistinct: host === undefined ? {} : { host: [host].flat() },
  socket: { localAddress, localPort },
})

const onLoopback = { host: '127.0.0.1', allowedHosts: [] }
const published = {
  host: '0.0.0.0',
  publicUrl: 'https://Trawl.example/here/',
  allowedHosts: ['trawl.lan', '192.0.2.7', '2001:db8::7'],
}

test('the hosts of the service are the bound address, localhost, the public and the allowed hosts, with any port', () => {
  const own = new OwnOrigins(published)

  for (const host of [
    'localhost',
    'localhost:8080',
    'LOCALHOST.:9000',
    '127.0.0.1:8080',
    '0.0.0.0:8080',
    'trawl.example',
    'TRAWL.example:443',
    'trawl.lan:81',
    '192.0.2.7',
    '[2001:db8:0::7]:8080',
  ]) {
    assert.equal(own.knowsHost(arrival(host)), true, host)
  }
})

test('the local address of a connection is a host of the service, whichever address is bound', () => {
  const everywhere = new OwnOrigins({ host: '::', allowedHosts: [] })

  assert.equal(everywhere.knowsHost(arrival('192.0.2.1:8080', '::ffff:192.0.2.1')), true)
  assert.equal(everywhere.knowsHost(arrival('[2001:db8::1]', '2001:db8:0:0::1')), true)
  assert.equal(everywhere.knowsHost(arrival('192.0.2.2', '::ffff:192.0.2.1')), false)
})

test('a missing, repeated, malformed or merely similar Host header is not a host of the service', () => {
  const own = new OwnOrigins(published)

  for (const host of [
    undefined,
    '',
    'evil.example',
    'evil.example:8080',
    'trawl.example.evil.example',
    'eviltrawl.example',
    'sub.trawl.example',
    'localhost.evil.example',
    'localhost@evil.example',
    'evil.example@localhost',
    'localhost#',
    'localhost, evil.example',
    '127.0.0.1.nip.io',
    '127.0.0.2',
    '[::1]',
    ['localhost', 'evil.example'],
    ['localhost', 'localhost'],
  ]) {
    assert.equal(own.knowsHost(arrival(host)), false, String(host))
  }
})

test('the origins of the service are the listening one, the public one and those of its hosts', () => {
  const loopback = new OwnOrigins(onLoopback)
  const behindProxy = new OwnOrigins(published)

  assert.equal(loopback.owns('http://127.0.0.1:8080', arrival('localhost:8080')), true)
  assert.equal(loopback.owns('http://localhost:8080', arrival('localhost:8080')), true)
  assert.equal(loopback.owns('https://localhost:8080', arrival('localhost:8080')), true)
  assert.equal(loopback.owns('http://localhost', arrival('localhost:80')), true)
  assert.equal(loopback.owns('http://[::1]:8080', arrival('[0::1]:8080', '::1')), true)
  assert.equal(behindProxy.owns('https://trawl.example', arrival('127.0.0.1:8080')), true)
  assert.equal(behindProxy.owns('https://trawl.lan', arrival('trawl.lan')), true)
  assert.equal(behindProxy.owns('https://trawl.lan', arrival('trawl.lan:443')), true)
})

test('an origin with another port or host, and a text that is no origin, are foreign', () => {
  const loopback = new OwnOrigins(onLoopback)
  const own = new OwnOrigins(published)
  const foreign: [origin: string, host: string][] = [
    ['http://localhost:8081', 'localhost:8080'],
    ['http://localhost', 'localhost:8080'],
    ['https://localhost', 'localhost:80'],
    ['http://evil.example:8080', 'localhost:8080'],
    ['http://evil.example:8080', 'evil.example:8080'],
    ['null', 'localhost:8080'],
    ['', 'localhost:8080'],
    ['file://', 'localhost:8080'],
    ['ftp://localhost:8080', 'localhost:8080'],
    ['chrome-extension://abcdef', 'localhost:8080'],
    ['http://localhost:8080/', 'localhost:8080'],
    ['http://localhost:8080@evil.example', 'localhost:8080'],
    ['http://localhost:8080, http://evil.example', 'localhost:8080'],
    ['http://localhost.:8080', 'localhost:8080'],
  ]

  for (const [origin, host] of foreign) {
    assert.equal(loopback.owns(origin, arrival(host)), false, origin)
  }
  assert.equal(own.owns('https://trawl.example:8443', arrival('127.0.0.1:8080')), false)
  assert.equal(own.owns('http://trawl.example', arrival('127.0.0.1:8080')), false)
  assert.equal(own.owns('https://sub.trawl.example', arrival('trawl.example')), false)
})
