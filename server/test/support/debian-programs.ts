import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import type { RunCommand } from '../../src/engines/install/run-command.ts'
import { unpackPackages } from '../../src/engines/install/unpack-browser.ts'

/** Debian's programs, unpacked into the data folder and kept there: this needs no root. */
export interface DebianPrograms {
  /** The path of a file that the package names, such as `/usr/sbin/squid`. */
  pathOf(file: string): string
  libraryPath: string
}

export async function findDebianPrograms({
  name,
  packages,
  programs,
}: {
  /** Of the folder that has them. */
  name: string
  packages: readonly string[]
  programs: readonly string[]
}): Promise<DebianPrograms> {
  const { config } = loadConfig({})
  const folder = resolve(config.store.dataDir, `test-${name}`)
  // A file that the machine already has is not unpacked.
  const pathOf = (file: string) =>
    spellings(file)
      .map((spelling) => folder + spelling)
      .find(exists) ?? file
  if (!programs.every((program) => exists(pathOf(program)))) await unpackInto(folder, packages)
  const libraries = join(folder, 'usr/lib')
  const triplets = await readdir(libraries).catch(() => [])
  return { pathOf, libraryPath: triplets.map((triplet) => join(libraries, triplet)).join(':') }
}

/** Debian 12 has some programs in /bin that Debian 13 has in /usr/bin. */
const spellings = (file: string): string[] => [file, file.replace(/^\/usr\/bin\//, '/bin/')]

function exists(path: string): boolean {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}

/** Several test files may unpack at once: the first that finishes renames its folder into place. */
async function unpackInto(folder: string, packages: readonly string[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 })
  const work = await mkdtemp(`${folder}-unfinished-`)
  try {
    const root = await unpackPackages(packages, work, runQuietly)
    await rename(root, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const runQuietly: RunCommand = async (command, args, folder = '/') => {
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  const child = spawn(command, args, { cwd: folder, stdio: [...stdio] })
  let stdout = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk
  })
  const [exitCode] = await once(child, 'close').catch(() => [1])
  return { isDone: exitCode === 0, stdout }
}
