/** A process that holds the write lock of an SQLite file until it is told to let go. */
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

const { file } = JSON.parse(process.argv[2] ?? '')
const connection = new DatabaseSync(file)
connection.exec('begin immediate')
process.stdout.write('held\n')
await once(process.stdin, 'data')
connection.exec('commit')
process.stdout.write('released\n')
process.exit()
