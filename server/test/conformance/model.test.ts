import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ConstraintViolated } from '../../src/storage/constraint-violated.ts'
import type { Database } from '../../src/storage/database.ts'
import { RequirementUnmet, type Statement, sql } from '../../src/storage/statement.ts'
import { openBlankStore, storeKinds } from '../support/test-store.ts'
import { addItem, findItem, withItems } from './items.ts'

type Step = { act: 'add' | 'put' | 'spend' | 'remove' | 'require'; name: string; amount: number }
type Outcome = 'kept' | 'constraint' | 'requirement'
type Items = Map<string, number>

/** What each act does to the store, and to a plain map. */
const acts: Record<Step['act'], Act> = {
  add: {
    statement: ({ name, amount }) => addItem(name, amount),
    change: (items, { name, amount }) =>
      items.has(name) ? 'constraint' : void items.set(name, amount),
  },
  put: {
    statement: ({ name, amount }) => sql`
      insert into items (name, amount) values (${name}, ${amount})
      on conflict (name) do update set amount = excluded.amount`,
    change: (items, { name, amount }) => void items.set(name, amount),
  },
  spend: {
    statement: ({ name, amount }) =>
      sql`update items set amount = amount - ${amount} where name = ${name}`,
    change: (items, { name, amount }) => {
      const left = (items.get(name) ?? amount) - amount
      if (left < 0) return 'constraint'
      if (items.has(name)) items.set(name, left)
      return undefined
    },
  },
  remove: {
    statement: ({ name }) => sql`delete from items where name = ${name}`,
    change: (items, { name }) => void items.delete(name),
  },
  require: {
    statement: ({ name }) => findItem(name).required(name),
    change: (items, { name }) => (items.has(name) ? undefined : 'requirement'),
  },
}

interface Act {
  statement(step: Step): Statement<unknown>
  change(items: Items, step: Step): Exclude<Outcome, 'kept'> | undefined
}

const step = fc.record({
  act: fc.constantFrom(...(Object.keys(acts) as Step['act'][])),
  name: fc.constantFrom('a', 'b', 'c'),
  amount: fc.integer({ min: 0, max: 5 }),
})
const transactions = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 12 })

for (const kind of storeKinds) {
  for (const isTogether of kind === 'sqlite' ? [true, false] : [false]) {
    const manner = isTogether ? 'concurrently' : 'one after the other'
    test(`${kind}: transactions run ${manner} have the same outcome as on an in-memory map`, async (t) => {
      const db = await openBlankStore(t, kind, withItems)
      await fc.assert(
        fc.asyncProperty(transactions, async (planned) => {
          await db.run(sql`delete from items`)
          const items: Items = new Map()
          const expected = planned.map((steps) => changeMap(items, steps))

          const outcomes = isTogether
            ? await Promise.all(planned.map((steps) => runSteps(db, steps)))
            : await runInTurn(db, planned)

          assert.deepEqual(outcomes, expected)
          assert.deepEqual(await readItems(db), [...items].sort())
        }),
        { numRuns: 60 },
      )
    })
  }
}

function changeMap(items: Items, steps: readonly Step[]): Outcome {
  const before = [...items]
  for (const each of steps) {
    const problem = acts[each.act].change(items, each)
    if (!problem) continue
    items.clear()
    for (const [name, amount] of before) items.set(name, amount)
    return problem
  }
  return 'kept'
}

async function runInTurn(db: Database, planned: readonly Step[][]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const steps of planned) outcomes.push(await runSteps(db, steps))
  return outcomes
}

async function runSteps(db: Database, steps: readonly Step[]): Promise<Outcome> {
  try {
    await db.transaction(steps.map((each) => acts[each.act].statement(each)))
    return 'kept'
  } catch (error) {
    if (error instanceof ConstraintViolated) return 'constraint'
    if (error instanceof RequirementUnmet) return 'requirement'
    throw error
  }
}

const readItems = (db: Database) =>
  db.run(
    sql<{ name: string; amount: number }>`select name, amount from items order by name`.map(
      ({ name, amount }) => [name, amount] as const,
    ),
  )
