import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeMissingLibraries, missingLibraries } from './missing-libraries.ts'

test('the message names the missing libraries and the packages that contain them', () => {
  assert.equal(
    describeMissingLibraries(['libnss3.so', 'libgbm.so.1']),
    'Chromium is installed but lacks: libnss3.so, libgbm.so.1. On Debian: sudo apt install libnss3 libgbm1',
  )
})

test('a package that contains two missing libraries is named once', () => {
  assert.match(describeMissingLibraries(['libnss3.so', 'libsmime3.so']), /install libnss3$/)
})

for (const [library, debianPackage] of [
  ['libX11.so.6', 'libx11-6'],
  ['libdbus-1.so.3', 'libdbus-1-3'],
  ['libatk-1.0.so.0', 'libatk1.0-0'],
  ['libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0'],
  ['libgobject-2.0.so.0', 'libglib2.0-0'],
  ['libpango-1.0.so.0', 'libpango-1.0-0'],
  ['libasound.so.2', 'libasound2'],
  ['libopenh264.so.7', 'libopenh264-7'],
] as const) {
  test(`the missing library ${library} is looked for in the package ${debianPackage}`, () => {
    assert.ok(describeMissingLibraries([library]).endsWith(` ${debianPackage}`))
  })
}

test('only libraries that the loader did not find count as missing', () => {
  const loaderOutput = `\tlinux-vdso.so.1 (0x00007ffc)
\tlibopus.so.0 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
\tlibpulse.so.0 => not found
`
  assert.deepEqual(missingLibraries(loaderOutput), ['libopus.so.0', 'libpulse.so.0'])
})
