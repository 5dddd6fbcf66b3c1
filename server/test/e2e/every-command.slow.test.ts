import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allNodes, describeCommands } from '../../../cli/src/completion/command-tree.ts'
import { createWholeProgram } from '../../src/cli/whole-program.ts'
import { startLocalScene } from '../support/command-scene.ts'
import { commandTrials, endlessCommands } from '../support/command-table.ts'

/** Those that do something; others only have commands below them. */
const working = allNodes(describeCommands(createWholeProgram())).filter(
  ({ path, children }) => children.length === 0 || path === 'trawl config',
)

test('every command of the program is tried', () => {
  const tried = new Set([...Object.keys(commandTrials), ...endlessCommands])

  for (const { path } of working) assert.ok(tried.has(path), path)
  assert.equal(Object.keys(commandTrials).filter((one) => !isCommand(one)).length, 0)
})

const isCommand = (one: string): boolean => working.some(({ path }) => path === one)

test('every command succeeds and fails as documented, for people and as JSON', async (t) => {
  const scene = await startLocalScene(t)

  for (const [path, trial] of Object.entries(commandTrials)) {
    await t.test(path, async () => {
      const words = path.split(' ').slice(1)
      const given = async () => (await trial.words?.(scene)) ?? []

      const human = await scene.run([...words, ...(await given())])
      assert.equal(human.code, trial.code ?? 0, human.stderr)
      assert.match(human.stdout, trial.shows)

      if (path !== 'trawl completion') {
        const json = await scene.run([...words, ...(await given()), '--json', '--quiet'])
        assert.equal(json.code, trial.code ?? 0, json.stderr)
        const document = JSON.parse(json.stdout)
        const first = Array.isArray(document) ? document[0] : document
        for (const field of trial.fields ?? []) assert.ok(field in (first ?? {}), json.stdout)
      }

      const failed = await scene.run([...words, ...trial.fails.words])
      assert.equal(failed.code, trial.fails.code, failed.stderr)
      assert.match(failed.stderr, trial.fails.says)
      assert.equal(failed.stdout, '')
    })
  }
})
