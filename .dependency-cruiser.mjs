/**
 * The floors of server/src, top to bottom: imports go down, never up, never sideways. ARCHITECTURE.md
 * draws them.
 */
const floors = [
  ['http'],
  ['jobs'],
  ['accounts', 'service', 'tasks'],
  ['engines', 'formats', 'delivery', 'dashboard'],
  ['outbound', 'queue', 'events'],
  ['storage'],
  ['wire'],
  ['domain', 'runtime'],
]

/** Floors that may not be seen although they lie below. */
const hidden = { http: ['engines', 'formats', 'outbound', 'queue', 'storage'] }

/**
 * The entry files of subfolders: all that the rest of the service may import from them. Files of `domain/`
 * and `wire/` are types and pure functions, grouped by topic and open to everyone.
 */
const entries = {
  'engines/browser': ['browser-engine', 'browser-slots', 'local-browser', 'prove-browser'],
  'engines/browser/cdp': ['cdp-connection', 'isolated-world'],
  'engines/browser/launch': ['browser-process', 'launch-modes', 'running-browser', 'warm-browser'],
  'engines/browser/page': [
    'live-page',
    'main-document-tracker',
    'page-egress',
    'poll-pauses',
    'take-screenshot',
    'visit',
    'visit-deadline',
    'visit-order',
  ],
  'engines/browser/scenario': ['run-scenario'],
  'engines/http': ['http-engine'],
  'engines/install': [
    'browser-candidates',
    'browser-presence',
    'check-browser',
    'ensure-browser',
    'find-browser',
    'plan-browser-install',
    'search-machine',
  ],
  'engines/request': [
    'devices',
    'outbound-failures',
    'redirects',
    'request-headers',
    'url-credentials',
  ],
  'formats/content': ['content-kind', 'image-type', 'other-content'],
  'formats/main-content': ['select-main-content'],
  'formats/markdown': ['render-markdown', 'to-markdown', 'to-text'],
  'formats/metadata': ['parse-time', 'read-metadata'],
  'formats/pdf': ['read-pdf'],
  'formats/rules': ['apply-rules'],
  'http/auth': [
    'ambient-credentials',
    'authenticate-request',
    'credentials',
    'own-origins',
    'session-cookie',
  ],
  'http/errors': [
    'client-error',
    'error-handler',
    'extraction-problem',
    'problem',
    'route-problem',
  ],
  'http/mcp': ['mcp-endpoint', 'mcp-exchange'],
  'http/openapi': ['describe-api', 'document', 'headers', 'operations', 'webhooks'],
  'http/pages': ['front-page', 'html-page', 'llms-text', 'reference-page', 'reference-script'],
  'http/requests': [
    'bodies-in-flight',
    'client-address',
    'disconnected',
    'idempotency-key',
    'jobs-query',
    'json-body',
    'requested-period',
    'scrape-request',
    'task-ids',
    'validate',
  ],
  'http/routes': [],
  'outbound/client': ['create-http-client', 'http-client'],
  'outbound/egress-proxy': ['egress-proxy', 'proxy-auth'],
  'outbound/guard': ['address-policy', 'egress-guard', 'listening-ports'],
  'outbound/upstream-proxy': [
    'assert-proxy-reachable',
    'http-proxy-protocol',
    'probe-proxy',
    'proxy-dialler',
  ],
  'storage/drivers': ['postgres', 'sqlite'],
}

/** Each library belongs to the folders named here. */
const libraries = {
  fastify: ['http'],
  'fast-json-stringify': ['http'],
  '@modelcontextprotocol/server': ['http/mcp'],
  pg: ['storage'],
  undici: ['outbound'],
  pino: ['runtime'],
  'pino-pretty': ['runtime'],
  'prom-client': ['runtime'],
  'tough-cookie': ['engines'],
  'html-minifier-next': ['formats'],
  '@mixmark-io/domino': ['formats'],
  'encoding-sniffer': ['formats'],
  chardet: ['formats'],
  'markdown-it': ['formats/markdown'],
  'css-select': ['domain/scrape/selector', 'formats'],
  re2js: ['domain/linear-pattern'],
  saxes: ['formats'],
  tldts: ['domain/crawl'],
  unpdf: ['formats/pdf'],
  zod: ['domain', 'wire', 'http', 'runtime', 'config.ts', 'config-kinds.ts'],
}

const src = '^server/src/'

/** The files of the command line that the dashboard imports too; `source-stamp.ts` names them as well. */
const sharedWithDashboard = '^cli/src/curl/(curl-command|printable-json)\\.ts$'

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

const entryRules = Object.entries(entries).map(([folder, files]) => ({
  name: `entry-${folder}`,
  comment: `Import from ${folder}/ only ${files.join(', ') || 'in its own folder'}.`,
  severity: 'error',
  // A file beside the folder that has its name, as routes.ts has, belongs to it.
  from: { path: src, pathNot: `${src}${folder}[/.]` },
  to: { path: `${src}${folder}/`, pathNot: `${src}${folder}/(${files.join('|')})\\.ts$` },
}))

export default {
  forbidden: [
    ...floorRules,
    ...libraryRules,
    ...entryRules,
    {
      name: 'sdk-needs-nothing',
      comment:
        'The SDK runs in browsers, Deno and Bun: no package, no module of Node, no file of ours.',
      severity: 'error',
      from: { path: '^sdk/src/' },
      to: { pathNot: '^sdk/src/' },
    },
    {
      name: 'command-line-is-a-client',
      comment:
        'Commands that call a service need the SDK, commander and Node, and no code of the service.',
      severity: 'error',
      from: { path: '^cli/src/', pathNot: '\\.test\\.ts$' },
      to: {
        pathNot: '^cli/|^sdk/src/index\\.ts$|node_modules/commander/',
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'commands-of-the-server-build-on-the-command-line',
      comment:
        'Its commands on the store and settings import the entry of the command line, others nothing of it.',
      severity: 'error',
      from: { path: src, pathNot: '\\.test\\.ts$' },
      to: { path: '^cli/', pathNot: '^cli/src/index\\.ts$' },
    },
    {
      name: 'only-commands-know-the-command-line',
      comment: 'The service itself imports nothing of its client.',
      severity: 'error',
      from: { path: src, pathNot: `${src}cli[/.]|\\.test\\.ts$` },
      to: { path: '^cli/' },
    },
    {
      name: 'dashboard-is-a-client',
      comment:
        'The dashboard talks to the service by the SDK, and shares only how curl commands are written.',
      severity: 'error',
      from: { path: '^dashboard/src/' },
      to: { path: '^(cli|server|scripts|sdk/src/(?!index))', pathNot: sharedWithDashboard },
    },
    {
      name: 'shared-files-run-in-browsers',
      comment:
        'What the dashboard shares with the command line needs no package and no module of Node.',
      severity: 'error',
      from: { path: sharedWithDashboard },
      to: { pathNot: sharedWithDashboard },
    },
    {
      name: 'service-knows-no-page',
      comment: 'The service serves what the build of the dashboard wrote, and imports none of it.',
      severity: 'error',
      from: { path: src },
      to: { path: '^dashboard/' },
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
      to: { path: '^server/(test|bench|quality)/|\\.test\\.ts$' },
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
