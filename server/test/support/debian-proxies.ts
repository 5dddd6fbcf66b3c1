import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { loadConfig } from '../../src/config.ts'
import type { RunCommand } from '../../src/engines/install/run-command.ts'
import { unpackPackages } from '../../src/engines/install/unpack-packages.ts'

/** Debian's proxy servers, unpacked into the data folder and kept there: this needs no root. */
export interface DebianProxies {
  /** The path of a file that the package names, such as `/usr/sbin/squid`. */
  pathOf(file: string): string
  libraryPath: string
}

const packages = ['squid', 'tinyproxy', 'microsocks']
const programs = ['/usr/sbin/squid', '/usr/bin/tinyproxy', '/usr/bin/microsocks']

export async function findDebianProxies(): Promise<DebianProxies> {
  const { config } = loadConfig({})
  const folder = resolve(config.store.dataDir, 'test-proxies')
  // A file that the machine already has is not unpacked.
  const pathOf = (file: string) => (exists(folder + file) ? folder + file : file)
  if (!programs.every((program) => exists(pathOf(program)))) {
    await unpackInto(folder, config.store.dataDir)
  }
  const libraries = join(folder, 'usr/lib')
  const triplets = await readdir(libraries).catch(() => [])
  return { pathOf, libraryPath: triplets.map((name) => join(libraries, name)).join(':') }
}

function exists(path: string): boolean {
  try {
    accessSync(path)
    return true
  } catch {
    return false
  }
}

/** Several test files may unpack at once: the first that finishes renames its folder into place. */
async function unpackInto(folder: string, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const work = await mkdtemp(join(resolve(dataDir), 'test-proxies-unfinished-'))
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
