import { crashPoint } from '../../runtime/crash-point.ts'
import type { Database } from '../../storage/database.ts'
import { isCommitted, type Statement } from '../../storage/statement.ts'

/** Writes what a crawl decided. Returns false if another process was faster, or the crawl was cancelled. */
export async function writeStep(
  db: Database,
  statements: readonly Statement<unknown>[],
): Promise<boolean> {
  crashPoint('before_crawl_commit')
  const isWritten = await isCommitted(db.transaction(statements))
  if (isWritten) crashPoint('after_crawl_commit')
  return isWritten
}
