import { join } from 'node:path'
import { installPackages } from './install-packages.ts'

/** A program that runs JavaScript: `program …args script.mjs`. */
export interface JavascriptRuntime {
  name: string
  program: string
  args: string[]
}

const { arch } = process
const bunPackage = `@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}`

/** The oldest Node that the SDK supports, Deno and Bun; from the registry, without install scripts. */
const runtimes = [
  {
    name: 'Node 20',
    wanted: `node-linux-${arch}@20.20.2`,
    path: `node-linux-${arch}/bin/node`,
    args: [],
  },
  {
    name: 'Deno',
    wanted: `@deno/linux-${arch}-glibc@2.9.6`,
    path: `@deno/linux-${arch}-glibc/deno`,
    args: ['run', '--quiet', '--no-config', '--allow-net'],
  },
  {
    name: 'Bun',
    wanted: `${bunPackage}@1.4.4`,
    path: `${bunPackage}/bin/bun`,
    args: ['run'],
  },
]

/** Installs the runtimes into the cache, unless they are there. */
export async function ensureRuntimes(
  cacheDir: string,
  signal: AbortSignal,
): Promise<JavascriptRuntime[]> {
  const packages = runtimes.map(({ wanted }) => wanted)
  const folder = await installPackages({ name: 'runtimes', packages, cacheDir }, signal)
  return runtimes.map(({ name, path, args }) => ({ name, program: join(folder, path), args }))
}
