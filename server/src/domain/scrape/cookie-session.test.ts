import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCookieSession, sessionAfter } from './cookie-session.ts'
import type { JarCookie } from './jar-cookie.ts'

const nowMs = 1_000_000
const proxy = { label: 'berlin', session: 'abc' }

const cookie = (name: string, changes: Partial<JarCookie> = {}): JarCookie => ({
  name,
  value: '1',
  domain: 'shop.test',
  isHostOnly: true,
  path: '/',
  expiresAtMs: null,
  isSecure: false,
  isHttpOnly: false,
  sameSite: null,
  ...changes,
})

const many = (count: number, changes: (index: number) => Partial<JarCookie> = () => ({})) =>
  Array.from({ length: count }, (_, index) => cookie(`c${index}`, changes(index)))

const namesAfter = (jar: JarCookie[], before: JarCookie[] = []): string[] =>
  sessionAfter({ cookies: before, proxy: null }, { jar, proxy }, nowMs).cookies.map(
    ({ name }) => name,
  )

test('a session takes over the cookies and the proxy of an attempt', () => {
  const jar = [cookie('a'), cookie('b')]

  assert.deepEqual(sessionAfter(newCookieSession, { jar, proxy }, nowMs), { cookies: jar, proxy })
})

test('cookies that were there before are older than new ones, in whatever order they come', () => {
  const before = [cookie('a'), cookie('b')]

  assert.deepEqual(namesAfter([cookie('new'), cookie('b'), cookie('a')], before), ['a', 'b', 'new'])
})

test('a cookie of the same name for another path or domain is another cookie', () => {
  const before = [cookie('a', { path: '/in' })]
  const jar = [cookie('a', { domain: 'other.test' }), cookie('a'), cookie('a', { path: '/in' })]

  const { cookies } = sessionAfter({ cookies: before, proxy: null }, { jar, proxy }, nowMs)

  assert.equal(cookies.length, 3)
  assert.equal(cookies[0]?.path, '/in')
})

test('expired cookies and those that no browser accepts are dropped', () => {
  const jar = [
    cookie('over', { expiresAtMs: nowMs }),
    cookie('valid', { expiresAtMs: nowMs + 1 }),
    cookie('long', { value: 'x'.repeat(4093) }),
    cookie('just', { value: 'x'.repeat(4092) }),
  ]

  assert.deepEqual(namesAfter(jar), ['valid', 'just'])
})

test('a host that sets too many cookies loses its oldest and no cookie of another host', () => {
  const before = [cookie('other', { domain: 'other.test' })]

  const names = namesAfter([...before, ...many(10_000)], before)

  assert.equal(names.length, 51)
  assert.deepEqual([names[0], names[1], names.at(-1)], ['other', 'c9950', 'c9999'])
})

test('a host that sets large cookies keeps 16 KiB of them', () => {
  assert.equal(namesAfter(many(20, () => ({ value: 'x'.repeat(4000) }))).length, 3)
})

test('a jar keeps 300 cookies and 64 KiB, the newest', () => {
  const ofOwnHost = (index: number) => ({ domain: `h${index}.test` })
  const names = namesAfter(many(1_000, ofOwnHost))
  const large = namesAfter(many(100, (index) => ({ ...ofOwnHost(index), value: 'x'.repeat(4000) })))

  assert.deepEqual([names.length, names.at(-1)], [300, 'c999'])
  assert.deepEqual([large.length, large.at(-1)], [15, 'c99'])
})
