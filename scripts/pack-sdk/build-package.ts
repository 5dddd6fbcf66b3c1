import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RepositoryField } from './find-repository.ts'
import { type Manifest, publishedManifest } from './published-manifest.ts'
import { runTool } from './run-tool.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Builds the package as it is published into an empty folder. */
export async function buildPackage(
  folder: string,
  facts: { repository?: RepositoryField },
): Promise<void> {
  await Promise.all([buildEsModules(join(folder, 'esm')), buildCommonJs(join(folder, 'cjs'))])
  for (const name of ['README.md', 'LICENSE']) {
    await cp(join(root, 'sdk', name), join(folder, name))
  }
  const [manifest, { version }] = await Promise.all([readManifest('sdk'), readManifest('.')])
  await writeJson(join(folder, 'package.json'), publishedManifest(manifest, { version, ...facts }))
}

export async function buildEsModules(folder: string): Promise<void> {
  await compile(['--outDir', folder])
}

/** The same files, types too: those of ES modules cannot be required where TypeScript is strict. */
async function buildCommonJs(folder: string): Promise<void> {
  const kind = ['--module', 'commonjs', '--moduleResolution', 'bundler']
  await compile(['--outDir', folder, ...kind, '--verbatimModuleSyntax', 'false'])
  await writeJson(join(folder, 'package.json'), { type: 'commonjs' })
}

const compile = (args: string[]): Promise<string> =>
  runTool('typescript/bin/tsc', ['-p', join(root, 'sdk'), ...args])

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))

const writeJson = (path: string, content: object): Promise<void> =>
  writeFile(path, `${JSON.stringify(content, null, 2)}\n`)
