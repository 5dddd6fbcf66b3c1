import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { RunCommand } from './run-command.ts'
import {
  packagesToInstall,
  readUnpackedBrowser,
  readUnpackedBrowserAt,
  unpackBrowser,
} from './unpack-browser.ts'

const simulation = `Reading package lists...
Inst libopus0 (1.3.1-3 Debian:12.15/oldstable [amd64])
Inst chromium-headless-shell (156.0-1 Debian-Security:12 [amd64])
Conf libopus0 (1.3.1-3 Debian:12.15/oldstable [amd64])
`

test('the packages to download are those that a simulated installation would add', () => {
  assert.deepEqual(packagesToInstall(simulation), ['libopus0', 'chromium-headless-shell'])
})

test('an unpacked browser is found again, with its library path', async (t) => {
  const dataDir = await createDataDir(t)

  await unpackBrowser({ ...wanted, dataDir }, fakeApt)

  const path = join(dataDir, 'browser/usr/lib/chromium/chromium-headless-shell')
  const browser = readUnpackedBrowser(dataDir)
  assert.equal(browser?.path, path)
  assert.match(browser?.libraryPath ?? '', /browser\/usr\/lib\/x86_64-linux-gnu:/)
  assert.deepEqual(readUnpackedBrowserAt(path), browser)
  assert.deepEqual(await readdir(dataDir), ['browser'])
})

test('a failed download keeps the earlier browser, and the next run removes its leftovers', async (t) => {
  const dataDir = await createDataDir(t)
  await unpackBrowser({ ...wanted, dataDir }, fakeApt)

  const failing: RunCommand = async (command, args, folder) =>
    args.includes('download') ? { isDone: false, stdout: '' } : fakeApt(command, args, folder)
  await assert.rejects(unpackBrowser({ ...wanted, dataDir }, failing), /download the packages/)

  assert.ok(readUnpackedBrowser(dataDir))
  await unpackBrowser({ ...wanted, dataDir }, fakeApt)
  assert.deepEqual(await readdir(dataDir), ['browser'])
})

const wanted = {
  packages: ['chromium-headless-shell'],
  browserPackage: 'chromium-headless-shell',
}

/** Acts as apt and dpkg do, with packages that contain one file. */
const fakeApt: RunCommand = async (command, args, folder = '') => {
  if (args.includes('download')) await writeFile(join(folder, 'chromium.deb'), '')
  if (command === 'dpkg-deb') {
    const root = args.at(-1) ?? ''
    await mkdir(join(root, 'usr/lib/chromium'), { recursive: true })
    await mkdir(join(root, 'usr/lib/x86_64-linux-gnu'), { recursive: true })
    await writeFile(join(root, 'usr/lib/chromium/chromium-headless-shell'), '')
  }
  return { isDone: true, stdout: args.includes('--simulate') ? simulation : '' }
}

async function createDataDir(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trawl-unpack-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}
