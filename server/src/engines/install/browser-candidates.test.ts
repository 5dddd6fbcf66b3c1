import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BrowserCandidate, listBrowserCandidates } from './browser-candidates.ts'

const unpacked: BrowserCandidate = {
  path: '/data/browser/usr/lib/chromium/chromium-headless-shell',
  flavor: 'shell',
  origin: 'data folder',
  libraryPath: '/data/browser/usr/lib/x86_64-linux-gnu',
}
const linux = { platform: 'linux', pathFolders: ['/usr/bin'] } as const

test('the unpacked browser comes first, then headless shells, then full browsers, a snap last', () => {
  const paths = listBrowserCandidates({ ...linux, settings: { flavor: 'shell' }, unpacked }).map(
    ({ path }) => path,
  )

  assert.deepEqual(paths, [
    unpacked.path,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chrome-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/google-chrome-stable',
    '/usr/bin/google-chrome',
    '/usr/bin/chromium-browser',
    '/usr/bin/microsoft-edge-stable',
    '/opt/google/chrome/chrome',
    '/snap/bin/chromium',
  ])
})

test('with the flavor chrome, full browsers come before headless shells', () => {
  const flavors = listBrowserCandidates({ ...linux, settings: { flavor: 'chrome' }, unpacked }).map(
    ({ flavor }) => flavor,
  )

  assert.equal(flavors[0], 'chrome')
  assert.ok(flavors.lastIndexOf('chrome') < flavors.indexOf('shell'))
})

test('with a required flavor, browsers of the other one are no candidates', () => {
  const flavors = listBrowserCandidates({
    ...linux,
    settings: { flavor: 'chrome', isFlavorRequired: true },
    unpacked,
  }).map(({ flavor }) => flavor)

  assert.deepEqual([...new Set(flavors)], ['chrome'])
})

test('one program name is searched in every folder of PATH before the next name', () => {
  const [first, second] = listBrowserCandidates({
    platform: 'linux',
    pathFolders: ['/home/me/bin', '/usr/bin'],
    settings: { flavor: 'shell' },
  })

  assert.equal(first?.path, '/home/me/bin/chromium-headless-shell')
  assert.equal(second?.path, '/usr/bin/chromium-headless-shell')
})

test('a path from the settings is the only candidate', () => {
  const candidates = listBrowserCandidates({
    ...linux,
    settings: { flavor: 'shell', path: '/x/chrome' },
  })

  assert.deepEqual(candidates, [{ path: '/x/chrome', flavor: 'chrome', origin: 'setting' }])
})

test('a path from the settings that names the unpacked browser keeps its library path', () => {
  const [only] = listBrowserCandidates({
    ...linux,
    settings: { flavor: 'shell', path: unpacked.path },
    unpacked,
  })

  assert.deepEqual(only, { ...unpacked, origin: 'setting' })
})

for (const [platform, path] of [
  ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  ['win32', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
] as const) {
  test(`on ${platform} the usual path of Chrome is a candidate`, () => {
    const candidates = listBrowserCandidates({
      platform,
      pathFolders: [],
      settings: { flavor: 'shell' },
    })

    assert.ok(candidates.some((candidate) => candidate.path === path))
  })
}
