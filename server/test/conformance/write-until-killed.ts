/** A process with many writers at once; it prints the name of every item it was told is stored. */
import { openDatabase } from '../../src/storage/open-database.ts'
import { silentLog } from '../support/test-store.ts'
import { addItem, withItems } from './items.ts'

const { place, prefix, writersCount, itemsMax = Infinity } = JSON.parse(process.argv[2] ?? '')
const db = await openDatabase({ ...place, ...withItems, log: silentLog })
await Promise.all(Array.from({ length: writersCount }, (_, writer) => write(writer)))
await db[Symbol.asyncDispose]()

async function write(writer: number): Promise<void> {
  for (let index = 0; index < itemsMax; index++) {
    const name = `${prefix}-${writer}-${index}`
    await db.run(addItem(name))
    process.stdout.write(`${name}\n`)
  }
}
