/** The content of a `package.json`. */
export type Manifest = Record<string, unknown>

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

/** The manifest of the published package, from that of the workspace. */
export const publishedManifest = (
  workspace: Manifest,
  release: { version: unknown; repository?: object },
): Manifest => ({
  ...Object.fromEntries(Object.entries(workspace).filter(([key]) => !ofWorkspace.has(key))),
  ...release,
  ...builtFiles,
})
