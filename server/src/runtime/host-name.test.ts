import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalAuthority, canonicalHost, canonicalName } from './host-name.ts'

test('a host has one canonical form, whatever its case, port, trailing dot or address form', () => {
  const expected: Record<string, string> = {
    'trawl.example': 'trawl.example',
    'TRAWL.Example:8080': 'trawl.example',
    'trawl.example.': 'trawl.example',
    'localhost.:8080': 'localhost',
    'bücher.example': 'xn--bcher-kva.example',
    '127.0.0.1:80': '127.0.0.1',
    '127.1': '127.0.0.1',
    '0x7f.0.0.1': '127.0.0.1',
    '[::1]:8080': '::1',
    '[0:0:0:0:0:0:0:1]': '::1',
    '[::FFFF:192.0.2.1]:80': '192.0.2.1',
  }

  for (const [given, canonical] of Object.entries(expected)) {
    assert.equal(canonicalHost(given), canonical, given)
  }
})

test('a host that is too long does not reach the URL parser', (t) => {
  const parser = t.mock.method(URL, 'parse')

  assert.equal(canonicalHost('漢'.repeat(4_000)), undefined)
  assert.equal(canonicalAuthority('http:', `${'a.'.repeat(130)}test:80`), undefined)

  assert.equal(parser.mock.callCount(), 0)
})

test('text that is no host has no canonical form', () => {
  for (const given of [
    '',
    '.',
    ':8080',
    ' trawl.example',
    'trawl.example:port',
    'trawl.example:123456',
    'trawl.example:99999',
    'a@trawl.example',
    'trawl.example/path',
    'trawl.example\\@evil.example',
    'trawl.example#',
    'trawl.example?',
    'a, b',
    'a,b',
    '::1',
    '[::1',
    '[::1]x',
    '[fe80::1%eth0]',
    '[localhost]',
    '256.0.0.1',
    'a%00b',
    '*',
    '*.example',
  ]) {
    assert.equal(canonicalHost(given), undefined, given)
  }
})

test('canonicalName takes an IPv6 address without brackets', () => {
  assert.equal(canonicalName('::1'), '::1')
  assert.equal(canonicalName('::ffff:127.0.0.1'), '127.0.0.1')
  assert.equal(canonicalName('Trawl.example'), 'trawl.example')
  assert.equal(canonicalName('10.0.0.0/8'), undefined)
  assert.equal(canonicalName('fe80::1%eth0'), undefined)
})

test('an authority keeps its port unless the scheme implies it', () => {
  assert.equal(canonicalAuthority('http:', 'A.example:80'), 'a.example')
  assert.equal(canonicalAuthority('https:', 'a.example:443'), 'a.example')
  assert.equal(canonicalAuthority('https:', 'a.example:80'), 'a.example:80')
  assert.equal(canonicalAuthority('http:', '[::1]:8080'), '[::1]:8080')
  assert.equal(canonicalAuthority('http:', 'a@b'), undefined)
})
