import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installWithApt } from './install-with-apt.ts'
import type { RunCommand } from './run-command.ts'

for (const { when, results, verbs } of [
  { when: 'the package is listed', results: [true, true], verbs: ['simulate', 'install'] },
  {
    when: 'the package lists are empty',
    results: [false, true, true],
    verbs: ['simulate', 'update', 'install'],
  },
  {
    when: 'the package lists are too old',
    results: [true, false, true, true],
    verbs: ['simulate', 'install', 'update', 'install'],
  },
]) {
  test(`when ${when}, apt-get runs: ${verbs.join(', ')}`, async () => {
    const { run, verbsRun } = fakeApt(results)

    await installWithApt(['chromium-headless-shell'], run)

    assert.deepEqual(verbsRun, verbs)
  })
}

test('an installation that fails again after an update is an error', async () => {
  const { run } = fakeApt([true, false, true, false])

  await assert.rejects(installWithApt(['chromium'], run), /could not install chromium/)
})

function fakeApt(results: boolean[]): { run: RunCommand; verbsRun: string[] } {
  const verbsRun: string[] = []
  const run: RunCommand = async (_command, args) => {
    verbsRun.push(args.includes('--simulate') ? 'simulate' : (args[0] ?? ''))
    return { isDone: results[verbsRun.length - 1] ?? false, stdout: '' }
  }
  return { run, verbsRun }
}
