/** Builds what makes results of pages, keeps them and reads them. */
import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import { startContentWorkers } from '../formats/workers/content-workers.ts'
import type { Log } from '../runtime/log.ts'
import { findFinished } from '../tasks/results/finished-task.ts'
import { PresentedContents } from '../tasks/results/presented-contents.ts'
import { createResultStore, formFor } from '../tasks/results/result-store.ts'
import { UrlMatcher } from '../tasks/search/url-matcher.ts'
import { UrlSearch } from '../tasks/search/url-search.ts'
import { WaitingCallers } from '../tasks/waiting-callers.ts'
import { createTaskLinks } from '../wire/tasks/links.ts'
import type { OpenStore } from './open-store.ts'

/** Started as they are needed; two at least, so that a slow page leaves one for the others. */
const contentWorkerCount = Math.max(2, availableParallelism())

interface ResultsParts {
  config: Config
  store: OpenStore
  log: Log
  publicUrl: () => string
}

export function startResults(
  { config, store, log, publicUrl }: ResultsParts,
  stack: AsyncDisposableStack,
) {
  const { db, sealer, keys, linkSigner } = store
  const { resultsMs: resultsKeptMs } = config.retention
  const contents = stack.use(startContentWorkers({ count: contentWorkerCount, log }))
  const presented = stack.use(new PresentedContents())
  const links = createTaskLinks({ publicUrl, linkSigner })
  const results = { db, sealer, contents, presented, links, resultsKeptMs }
  const find = (taskId: string) => findFinished(results, taskId, formFor)
  return {
    ...results,
    kept: createResultStore(results),
    callers: stack.use(new WaitingCallers({ db, log, find })),
    urlSearch: new UrlSearch(stack.use(new UrlMatcher({ keys, log }))),
  }
}
