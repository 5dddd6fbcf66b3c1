import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'

const printsArguments = "process.stdout.write('program ' + process.argv.slice(2).join(' '))"

test('the first start installs dependencies, later ones do not, and arguments are passed on', async (t) => {
  const project = await createProject(t, { program: printsArguments })

  const first = await project.launch(['program.ts', 'one', '--two'])
  const second = await project.launch(['program.ts', 'again'])

  assert.equal(first.stdout, 'program one --two')
  assert.match(first.stderr, /^\[setup\] dependencies \.\.\. \d+ s\n$/)
  assert.equal(second.stdout, 'program again')
  assert.equal(second.stderr, '')
  assert.equal(await project.installations(), 1)
})

test('a program of the dashboard gets the packages of the dashboard as well, no other does', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.write('dashboard/package-lock.json', lockfileWith({ needed: '1.0.0' }))
  await project.write('dashboard/program.ts', printsArguments)
  const installed = () =>
    readFile(join(project.folder, 'dashboard/installations'), 'utf8').catch(() => '')

  await project.launch(['server/src/program.ts'])
  assert.equal(await installed(), '')

  const { stdout } = await project.launch(['dashboard/program.ts', 'one'])
  assert.equal(stdout, 'program one')
  assert.match(await installed(), /^ci --omit=dev .*\n$/)
})

test('a start after a change of the lockfile installs again', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.launch(['program.ts'])

  await project.write('package-lock.json', lockfileWith({ needed: '1.0.0' }))
  await project.launch(['program.ts'])

  assert.equal(await project.installations(), 2)
})

test('a start uses packages that were installed by hand from the same lockfile', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.write('package-lock.json', lockfileWith({ needed: '1.0.0', elsewhere: '1.0.0' }))
  await project.write('node_modules/.package-lock.json', lockfileWith({ needed: '1.0.0' }))

  await project.launch(['program.ts'])

  assert.equal(await project.installations(), 0)
})

test('a start replaces packages that were installed by hand from another lockfile', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.write('package-lock.json', lockfileWith({ needed: '2.0.0' }))
  await project.write('node_modules/.package-lock.json', lockfileWith({ needed: '1.0.0' }))

  await project.launch(['program.ts'])

  assert.equal(await project.installations(), 1)
})

test('a start installs again where the link to a new workspace is missing', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  const lockfile = JSON.parse(lockfileWith({ needed: '1.0.0' }))
  lockfile.packages['node_modules/@trawl/sdk'] = { resolved: 'sdk', link: true }
  await project.write('package-lock.json', JSON.stringify(lockfile))
  await project.write('node_modules/.package-lock.json', lockfileWith({ needed: '1.0.0' }))

  await project.launch(['program.ts'])

  assert.equal(await project.installations(), 1)
})

test('a start of the service installs no development dependencies', async (t) => {
  const project = await createProject(t, { program: printsArguments })

  await project.launch(['server/src/program.ts'])

  const [command, ...others] = await project.npmCommands()
  assert.match(command ?? '', /^ci --omit=dev /)
  assert.deepEqual(others, [])
})

test('a test run after a start adds the development dependencies and replaces nothing', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.write('package-lock.json', lockfileWith({ needed: '1.0.0', tester: '1.0.0' }))
  await project.launch(['server/src/program.ts'])

  const { stdout } = await project.launch(['program.ts', 'x'])
  await project.launch(['program.ts', 'y'])

  const [, added, ...others] = await project.npmCommands()
  assert.equal(stdout, 'program x')
  assert.match(added ?? '', /^install --no-save --include=dev /)
  assert.deepEqual(others, [])
})

test('a start after an interrupted installation installs everything again', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.write('package-lock.json', lockfileWith({ needed: '1.0.0', tester: '1.0.0' }))
  await project.launch(['server/src/program.ts'])
  await project.write('node_modules/.trawl-installing', '')

  const { stdout } = await project.launch(['program.ts', 'x'])

  const [, repaired] = await project.npmCommands()
  assert.equal(stdout, 'program x')
  assert.match(repaired ?? '', /^ci --include=dev /)
  await assert.rejects(readFile(join(project.folder, 'node_modules/.trawl-installing')))
})

test('a start after a test run installs and removes nothing', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.launch(['program.ts'])

  const { stdout } = await project.launch(['server/src/program.ts', 'x'])

  assert.equal(stdout, 'program x')
  assert.equal((await project.npmCommands()).length, 1)
})

test('concurrent starts and test runs end with all dependencies installed', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  await project.write('package-lock.json', lockfileWith({ needed: '1.0.0', tester: '1.0.0' }))

  await Promise.all([
    project.launch(['server/src/program.ts']),
    project.launch(['program.ts']),
    project.launch(['server/src/program.ts']),
  ])
  const commandsBefore = await project.npmCommands()
  await project.launch(['program.ts'])

  assert.ok(commandsBefore.length <= 2)
  assert.match(commandsBefore.at(-1) ?? '', /--include=dev/)
  assert.deepEqual(await project.npmCommands(), commandsBefore)
})

test('of two concurrent starts one installs and the other waits for it', async (t) => {
  const project = await createProject(t, { program: printsArguments })

  const starts = await Promise.all([
    project.launch(['program.ts', 'a']),
    project.launch(['program.ts', 'b']),
  ])

  assert.deepEqual(
    starts.map(({ stdout }) => stdout),
    ['program a', 'program b'],
  )
  assert.equal(await project.installations(), 1)
})

test('a start removes the lock of a launcher that died', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  const dead = spawn(process.execPath, ['--version'])
  await once(dead, 'close')
  await project.write('.cache/setup.lock/pid', String(dead.pid))

  const { stdout } = await project.launch(['program.ts', 'x'])

  assert.equal(stdout, 'program x')
  await assert.rejects(stat(join(project.folder, '.cache/setup.lock')))
})

test('a start removes a lock with its own number, which a process had before a container started anew', async (t) => {
  const project = await createProject(t, { program: printsArguments })
  const locksItself = `mkdir -p .cache/setup.lock && echo $$ > .cache/setup.lock/pid
    exec "$0" scripts/launch.mjs program.ts x`
  const starting = spawn('sh', ['-c', locksItself, process.execPath], {
    cwd: project.folder,
    env: { PATH: process.env['PATH'], npm_execpath: join(project.folder, 'npm-cli.mjs') },
    timeout: 60_000,
  })

  assert.equal((await outcomeOf(starting)).stdout, 'program x')
})

test('a failed installation says what to do and leaves no lock', async (t) => {
  const project = await createProject(t, { program: printsArguments, npm: 'process.exit(1)' })

  const { code, stderr } = await project.launch(['program.ts'])

  assert.equal(code, 69)
  assert.match(
    stderr,
    /\[setup\] npm ci failed \(exit 1\)\. Check the network or proxy, then run again\.\n$/,
  )
  await assert.rejects(stat(join(project.folder, '.cache/setup.lock')))
})

for (const [mode, flags] of [
  ['in the same process', []],
  ['as a child', ['--no-warnings']],
] as const) {
  test(`the exit code of a program run ${mode} is passed on`, async (t) => {
    const project = await createProject(t, { program: 'process.exitCode = 7' })

    const { code } = await project.launch([...flags, 'program.ts'])

    assert.equal(code, 7)
  })

  test(`a program run ${mode} keeps compiled code for its next start`, async (t) => {
    const program = `import { getCompileCacheDir } from 'node:module'
      process.stdout.write(getCompileCacheDir() ?? 'none')`
    const project = await createProject(t, { program })

    const { stdout } = await project.launch([...flags, 'program.ts'])

    assert.ok(stdout.startsWith(join(project.folder, 'node_modules/.cache/compiled')), stdout)
  })

  test(`SIGTERM to the launcher reaches a program run ${mode}, which can stop gracefully`, async (t) => {
    const project = await createProject(t, { program: waitsForSigterm })
    const launcher = project.start([...flags, 'program.ts'])
    await once(launcher.stdout ?? assert.fail(), 'data')

    launcher.kill('SIGTERM')

    assert.deepEqual(await once(launcher, 'close'), [3, null])
  })

  for (const whom of ['the launcher alone', 'its process group, as Ctrl-C does']) {
    test(`SIGINT to ${whom} is SIGINT for a program run ${mode}, exit 130`, async (t) => {
      const project = await createProject(t, { program: namesSignal })
      const launcher = project.start([...flags, 'program.ts'], { isGroup: true })
      const output = text(launcher.stdout ?? assert.fail())
      await once(launcher.stdout ?? assert.fail(), 'data')

      const pid = launcher.pid ?? assert.fail()
      process.kill(whom === 'the launcher alone' ? pid : -pid, 'SIGINT')

      assert.deepEqual(await once(launcher, 'close'), [130, null])
      assert.equal(await output, 'ready, SIGINT')
    })
  }

  test(`SIGINT ends a program run ${mode} that does not handle it, exit 130`, async (t) => {
    const project = await createProject(t, { program: keepsRunning })
    const launcher = project.start([...flags, 'program.ts'])
    await once(launcher.stdout ?? assert.fail(), 'data')

    launcher.kill('SIGINT')

    const [code, signal] = await once(launcher, 'close')
    assert.ok(code === 130 || signal === 'SIGINT', `${code} ${signal}`)
  })

  test(`a program run ${mode} stops when npm was killed`, async (t) => {
    const project = await createProject(t, { program: waitsForSigterm })
    const npm = project.startBelowNpm([...flags, 'program.ts'])
    const output = text(npm.stdout ?? assert.fail())
    await once(npm.stdout ?? assert.fail(), 'data')

    npm.kill('SIGKILL')

    assert.equal(await output, 'ready, stopped') // ends when all processes have closed the pipe
  })
}

test('a child killed by a signal gives the exit code 128 plus the signal number', async (t) => {
  const project = await createProject(t, { program: "process.kill(process.pid, 'SIGKILL')" })

  const { code } = await project.launch(['--no-warnings', 'program.ts'])

  assert.equal(code, 128 + 9)
})

const keepsRunning = `
  const keepAlive: NodeJS.Timeout = setInterval(() => {}, 60_000)
  process.stdout.write('ready')`

const namesSignal = `
  const end = (name: string) =>
    process.stdout.write(', ' + name, () => process.exit(name === 'SIGINT' ? 130 : 143))
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, end)
  process.on('SIGINT', () => {}) // it may come twice
  ${keepsRunning}`

const waitsForSigterm = `
  const keepAlive: NodeJS.Timeout = setInterval(() => {}, 60_000)
  process.on('SIGTERM', () => process.stdout.write(', stopped', () => process.exit(3)))
  process.stdout.write('ready')`

// Like npm, it runs the script in a shell.
const runsInShell = `
  const command = [process.execPath, ...process.argv.slice(1)].join(' ')
  require('node:child_process').spawn('sh', ['-c', command + '; exit $?'], { stdio: 'inherit' })`

const lockfileFlags: Record<string, object> = {
  elsewhere: { optional: true, os: ['other'], cpu: ['other'] },
  tester: { dev: true },
}

function lockfileWith(versions: Record<string, string>): string {
  const entries = Object.entries(versions).map(([name, version]) => [
    `node_modules/${name}`,
    { version, ...lockfileFlags[name] },
  ])
  return JSON.stringify({ packages: { '': {}, ...Object.fromEntries(entries) } })
}

/** A project with one program and a copy of the launcher; its npm only records the commands. */
async function createProject(
  t: TestContext,
  { program, npm = '' }: { program: string; npm?: string },
) {
  const folder = await mkdtemp(join(tmpdir(), 'trawl-launch-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const write = async (path: string, content: string) => {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  await cp(import.meta.dirname, join(folder, 'scripts'), { recursive: true })
  await write('package.json', '{ "type": "module" }')
  await write('package-lock.json', JSON.stringify({ packages: { '': {} } }))
  await write('program.ts', program)
  await write('server/src/program.ts', program)
  await write(
    'npm-cli.mjs',
    `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
     ${npm}
     const isWanted = ([, entry]) => !entry.dev || process.argv.includes('--include=dev')
     const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
     const installed = Object.fromEntries(Object.entries(packages).filter(isWanted))
     mkdirSync('node_modules', { recursive: true })
     writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }))
     appendFileSync('installations', process.argv.slice(2).join(' ') + '\\n')`,
  )

  const launcher = join(folder, 'scripts/launch.mjs')
  const environment = { PATH: process.env['PATH'], npm_execpath: join(folder, 'npm-cli.mjs') }
  const npmCommands = async () => {
    const recorded = await readFile(join(folder, 'installations'), 'utf8').catch(() => '')
    return recorded.split('\n').filter((command) => command !== '')
  }
  const start = (args: string[], { isGroup = false } = {}) =>
    spawn(process.execPath, [launcher, ...args], {
      cwd: folder,
      env: environment,
      detached: isGroup,
    })
  return {
    folder,
    write,
    start,
    launch: async (args: string[]) => await outcomeOf(start(args)),
    startBelowNpm: (args: string[]) =>
      spawn(process.execPath, ['--eval', runsInShell, launcher, ...args], {
        cwd: folder,
        env: { ...environment, npm_lifecycle_event: 'start' },
      }),
    npmCommands,
    installations: async () =>
      (await npmCommands()).filter((command) => command.startsWith('ci ')).length,
  }
}

async function outcomeOf(child: ChildProcess) {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout ?? assert.fail()),
    text(child.stderr ?? assert.fail()),
    once(child, 'close'),
  ])
  return { stdout, stderr, code }
}
