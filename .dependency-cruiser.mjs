/**
 * The floors of server/src, top to bottom: imports go down, never up, never sideways, never into
 * another folder's subfolder. ARCHITECTURE.md draws them.
 */
const floors = [
  ['http'],
  ['accounts', 'tasks'],
  ['engines', 'formats', 'delivery'],
  ['outbound', 'queue'],
  ['storage'],
  ['domain', 'runtime'],
]

/** Floors that may not be seen although they lie below. */
const hidden = { http: ['engines', 'formats', 'outbound', 'queue', 'storage'] }

/** Each library belongs to the folders named here. */
const libraries = {
  fastify: ['http'],
  pg: ['storage'],
  undici: ['outbound'],
  pino: ['runtime'],
  'pino-pretty': ['runtime'],
  'prom-client': ['runtime'],
  commander: ['cli', 'cli.ts'],
  'tough-cookie': ['engines'],
  'html-minifier-next': ['formats'],
  'encoding-sniffer': ['formats'],
  zod: ['domain', 'http', 'runtime', 'config.ts', 'config-kinds.ts'],
}

const src = '^server/src/'

const floorRules = floors.flatMap((folders, level) =>
  folders.map((folder) => {
    const below = floors.slice(level + 1).flat()
    const seen = below.filter((other) => !hidden[folder]?.includes(other))
    return {
      name: `floor-${folder}`,
      comment: `${folder}/ may import from itself${seen.length ? ` and ${seen.join(', ')}` : ''} only.`,
      severity: 'error',
      from: { path: `${src}${folder}/` },
      to: { path: src, pathNot: `${src}(${[folder, ...seen].join('|')})/` },
    }
  }),
)

const libraryRules = Object.entries(libraries).map(([library, places]) => ({
  name: `library-${library}`,
  comment: `${library} belongs to ${places.join(', ')} only.`,
  severity: 'error',
  from: { path: src, pathNot: `${src}(${places.join('|')})` },
  to: { path: `node_modules/${library}/`, dependencyTypesNot: ['type-only'] },
}))

export default {
  forbidden: [
    ...floorRules,
    ...libraryRules,
    {
      name: 'no-subfolder-of-another',
      comment: 'Import from the top of another folder, never from inside it.',
      severity: 'error',
      from: { path: `${src}([^/]+)/` },
      to: { path: `${src}[^/]+/[^/]+/`, pathNot: `${src}$1/` },
    },
    {
      name: 'no-subfolder-from-the-root',
      comment: 'main.ts and cli.ts import from the top of a folder, never from inside it.',
      severity: 'error',
      from: { path: `${src}[^/]+$` },
      to: { path: `${src}[^/]+/[^/]+/` },
    },
    {
      name: 'no-circle',
      comment: 'Two files that need each other are one file, or three.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'sources-need-production-packages-only',
      comment: '`npm start` installs no devDependencies, so the service may not import one.',
      severity: 'error',
      from: { path: src, pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sources-know-no-tests',
      comment: 'A test shapes nothing it tests.',
      severity: 'error',
      from: { path: src, pathNot: '\\.test\\.ts$' },
      to: { path: '^server/(test|bench)/|\\.test\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
