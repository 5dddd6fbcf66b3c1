import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { addKeyToFile, dropPreviousKeyFromFile } from '../../src/storage/secrets/secret-key.ts'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { createSealedStore, type SealedStore } from '../support/sealed-store.ts'

const keysIn = ({ dataDir }: Pick<SealedStore, 'dataDir'>) =>
  readFileSync(join(dataDir, 'secret.key'), 'utf8').trim().split('\n')

const rotate = (t: TestContext, place: SealedStore) =>
  runTrawl(t, ['secrets', 'rotate', '--json'], {
    cwd: place.dataDir,
    environment: place.environmentWith({}),
  })

test('of two rotations that loaded the same key, the second leaves the key file as it is', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using slow = await place.open()
  const [key] = keysIn(place)
  addKeyToFile(place.dataDir, slow.keys)
  const afterFirst = keysIn(place)

  assert.throws(() => addKeyToFile(place.dataDir, slow.keys), /was changed while this command ran/)

  assert.deepEqual(keysIn(place), afterFirst)
  assert.equal(afterFirst[1], key)
})

test('a rotation does not drop a key that was added to the file after it began', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await using first = await place.open()
  addKeyToFile(place.dataDir, first.keys)
  await using slow = await place.open()
  dropPreviousKeyFromFile(place.dataDir, slow.keys)
  addKeyToFile(place.dataDir, { newest: slow.keys.newest })
  const inUse = keysIn(place)

  assert.throws(
    () => dropPreviousKeyFromFile(place.dataDir, slow.keys),
    /was changed while this command ran/,
  )

  assert.deepEqual(keysIn(place), inUse)
})

test('a rotation names the lock that another rotation holds, with exit 1', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  await (await place.open())[Symbol.asyncDispose]()
  const before = keysIn(place)
  writeFileSync(join(place.dataDir, 'secret.key.lock'), '')

  const refused = rotate(t, place)

  assert.equal(await refused.whenEnded, 1)
  assert.match(refused.stderr(), /^Another rotation holds \S+secret\.key\.lock\. .+\n$/)
  assert.deepEqual(keysIn(place), before)
})

test('temporary files of keys and credentials left by a killed process are removed at start', async (t) => {
  const place = await createSealedStore(t, 'sqlite')
  const draftOf = (name: string, ageMs: number) => {
    const path = join(place.dataDir, `${name}.${ageMs.toString(16).padStart(16, '0')}`)
    writeFileSync(path, 'secret')
    const at = (Date.now() - ageMs) / 1_000
    utimesSync(path, at, at)
    return path
  }
  const stale = ['secret.key', 'credentials.json'].map((name) => draftOf(name, 120_000))
  const underWay = draftOf('secret.key', 1_000)
  const other = draftOf('notes.txt', 120_000)

  await place.start()

  assert.deepEqual(stale.map(existsSync), [false, false])
  assert.deepEqual([underWay, other].map(existsSync), [true, true])
})

const inTheWay: Record<string, (folder: string) => void> = {
  'secret.key that is a folder': (folder) => mkdirSync(join(folder, 'secret.key')),
  'secret.key that is a symbolic link to nothing': (folder) =>
    symlinkSync(join(folder, 'nowhere'), join(folder, 'secret.key')),
  'credentials.json that is a folder': (folder) => mkdirSync(join(folder, 'credentials.json')),
}

for (const [what, make] of Object.entries(inTheWay)) {
  test(`a ${what} is refused in one line with exit 78 and leaves no temporary file`, async (t) => {
    const folder = await scratchFolder(t)
    make(folder)
    const environment = {
      TRAWL_DATA_DIR: folder,
      TRAWL_BROWSER_INSTALL: 'never',
      TRAWL_PORT: '0',
      TRAWL_LOG_LEVEL: 'silent',
    }

    const refused = runTrawl(t, ['serve'], { cwd: folder, environment })

    assert.equal(await refused.whenEnded, 78, refused.stderr())
    assert.match(refused.stderr(), /^(Cannot write )?\S+(secret\.key|credentials\.json) .+\n$/)
    assert.deepEqual(
      readdirSync(folder).filter((name) => /\.[0-9a-f]{16}$/.test(name)),
      [],
    )
  })
}
