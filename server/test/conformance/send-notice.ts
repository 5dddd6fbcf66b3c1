/** A process that opens the store, sends one notice and ends. */
import { openDatabase } from '../../src/storage/open-database.ts'
import { notify } from '../../src/storage/statement.ts'
import { silentLog } from '../support/test-store.ts'
import { withItems } from './items.ts'

const { place, notice } = JSON.parse(process.argv[2] ?? '')
await using db = await openDatabase({ ...place, ...withItems, log: silentLog })
await db.run(notify(notice.channel, notice.payload))
