/** A process that waits for a word, opens the store and prints how it went. */
import { once } from 'node:events'
import { openDatabase } from '../../src/storage/open-database.ts'
import { silentLog } from '../support/test-store.ts'

const { place, migrations } = JSON.parse(process.argv[2] ?? '')
process.stdout.write('waiting\n')
await once(process.stdin, 'data')
process.stdin.destroy()
try {
  await using db = await openDatabase({ ...place, migrations, log: silentLog })
  await db.ping()
  process.stdout.write('opened\n')
} catch (error) {
  process.stdout.write(`${String(error)}\n`)
}
