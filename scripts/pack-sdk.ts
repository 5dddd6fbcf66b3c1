/** Behind `npm run pack:sdk [-- options of npm pack]`: the SDK as it is published, in one file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildPackage } from './pack-sdk/build-package.ts'
import { findRepository } from './pack-sdk/find-repository.ts'

const repository = await findRepository(resolve(import.meta.dirname, '..'))
if (!repository) {
  console.error('The package will name no repository, as "origin" of this clone is no public one.')
}
await using folder = await mkdtempDisposable(join(tmpdir(), 'trawl-sdk-'))
await buildPackage(folder.path, repository ? { repository } : {})
const npm = spawn('npm', ['pack', folder.path, ...process.argv.slice(2)], { stdio: 'inherit' })
const [exitCode] = await once(npm, 'close')
process.exitCode = exitCode ?? 1
