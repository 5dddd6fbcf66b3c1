import assert from 'node:assert/strict'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runTrawl } from '../support/run-program.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const quiet = { TRAWL_BROWSER_INSTALL: 'never', TRAWL_PORT: '0' }

// Root can enter every folder; without these two capabilities file modes apply to it too.
const asOrdinaryUser =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : []

/** Each prepares an obstacle and returns the data folder that is unusable because of it. */
const unusable: Record<string, { place(folder: string): string; reason: RegExp }> = {
  'below a folder that may not be entered': {
    place: (folder) => {
      mkdirSync(join(folder, 'locked'), { mode: 0o000 })
      return join(folder, 'locked', 'data')
    },
    reason: /it, or a folder above it, may not be entered or written/,
  },
  'far below a folder that may not be entered': {
    place: (folder) => {
      mkdirSync(join(folder, 'locked'), { mode: 0o000 })
      return join(folder, 'locked', 'far', 'below', 'data')
    },
    reason: /may not be entered or written/,
  },
  'in a folder that may not be written': {
    place: (folder) => {
      mkdirSync(join(folder, 'read-only'), { mode: 0o500 })
      return join(folder, 'read-only', 'data')
    },
    reason: /may not be entered or written/,
  },
  'that may itself not be written': {
    place: (folder) => {
      mkdirSync(join(folder, 'data'), { mode: 0o500 })
      return join(folder, 'data')
    },
    reason: /may not be entered or written/,
  },
  'below /proc': { place: () => '/proc/trawl/data', reason: /no folder can be made there/ },
  'that is a file': {
    place: (folder) => {
      writeFileSync(join(folder, 'data'), '')
      return join(folder, 'data')
    },
    reason: /not a folder/,
  },
  'below a file': {
    place: (folder) => {
      writeFileSync(join(folder, 'file'), '')
      return join(folder, 'file', 'data')
    },
    reason: /not a folder/,
  },
  'that is a symbolic link to nothing': {
    place: (folder) => {
      symlinkSync(join(folder, 'nowhere'), join(folder, 'data'))
      return join(folder, 'data')
    },
    reason: /not a folder/,
  },
  'behind symbolic links that lead in a circle': {
    place: (folder) => {
      symlinkSync(join(folder, 'data'), join(folder, 'data'))
      return join(folder, 'data', 'deeper')
    },
    reason: /in a circle/,
  },
}

for (const [where, { place, reason }] of Object.entries(unusable)) {
  test(`a data folder ${where} is refused in one line with exit 78`, async (t) => {
    const cwd = await scratchFolder(t)
    const dataDir = place(cwd)

    const program = runTrawl(t, ['serve', '--data-dir', dataDir], {
      cwd,
      environment: quiet,
      through: asOrdinaryUser,
    })

    assert.equal(await program.whenEnded, 78)
    assert.match(program.stderr(), /^Cannot write to .* TRAWL_DATA_DIR\.\n$/)
    assert.ok(program.stderr().includes(dataDir))
    assert.match(program.stderr(), reason)
  })
}

test('a data folder is created with all its parents, for this user alone', async (t) => {
  const cwd = await scratchFolder(t)
  const dataDir = join(cwd, 'not', 'yet', 'there')

  const program = runTrawl(t, ['serve', '--data-dir', dataDir], { cwd, environment: quiet })
  await program.whenSaid(/is ready/)

  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
})
