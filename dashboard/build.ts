/** Behind `npm run dashboard`: bundles the dashboard into `dist/`, compressed, in one step for who reads it. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'vite'
import { withSetupLock } from '../scripts/launch/setup-lock.mjs'
import { stampOfSources } from '../server/src/dashboard/source-stamp.ts'

const folder = import.meta.dirname
const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(folder, 'dist')
const inProgress = join(folder, '.cache', 'next')

// Below this a compressed copy saves no packet.
const compressedBytesMin = 1_000

await withSetupLock(join(folder, '.cache', 'build'), async () => {
  const stamp = await stampOfSources(root)
  if ((await readFile(join(built, 'stamp'), 'utf8').catch(() => '')) === stamp) return
  await rm(inProgress, { recursive: true, force: true })
  await bundle()
  for (const name of await readdir(join(inProgress, 'assets'))) {
    await compress(join(inProgress, 'assets', name))
  }
  await writeFile(join(inProgress, 'stamp'), stamp)
  await replaceBuilt()
})

async function bundle(): Promise<void> {
  await build({
    configFile: false,
    root: folder,
    base: '/app/',
    // Warnings are about libraries, one for each of their files.
    logLevel: 'error',
    // The sources of the SDK need no build of their own.
    resolve: { alias: { '@trawl/sdk': join(root, 'sdk', 'src', 'index.ts') } },
    build: {
      outDir: inProgress,
      emptyOutDir: true,
      // What has `light-dark()`, `AbortSignal.any` and the methods of sets.
      target: ['chrome123', 'firefox127', 'safari17.5'],
      modulePreload: { polyfill: false },
      // A data URL would need a wider content security policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })
}

async function compress(path: string): Promise<void> {
  const bytes = await readFile(path)
  if (bytes.length < compressedBytesMin) return
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }))
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes))
}

async function replaceBuilt(): Promise<void> {
  await mkdir(built, { recursive: true })
  const old = join(folder, '.cache', 'old')
  await rm(old, { recursive: true, force: true })
  await rename(built, old)
  await rename(inProgress, built)
  await rm(old, { recursive: true, force: true })
}
