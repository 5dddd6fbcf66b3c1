import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RepositoryField } from './find-repository.ts'
import { runTool } from './run-tool.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

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

/** The content of a `package.json`. */
type Manifest = Record<string, unknown>

const entryOf = (kind: 'esm' | 'cjs') => ({
  types: `./${kind}/index.d.ts`,
  default: `./${kind}/index.js`,
})

/** Says where the built files are, to those too that do not know `exports`. */
const builtFiles = {
  main: './cjs/index.js',
  types: './cjs/index.d.ts',
  exports: {
    '.': { import: entryOf('esm'), require: entryOf('cjs') },
    './package.json': './package.json',
  },
  files: ['esm', 'cjs'],
}

/** What only the workspace needs. */
const ofWorkspace = new Set(['//', 'private', 'exports', 'devDependencies'])

const publishedManifest = (
  workspace: Manifest,
  release: { version: unknown; repository?: object },
): Manifest => ({
  ...Object.fromEntries(Object.entries(workspace).filter(([key]) => !ofWorkspace.has(key))),
  ...release,
  ...builtFiles,
})
