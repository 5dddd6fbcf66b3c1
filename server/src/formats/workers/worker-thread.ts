import { Worker } from 'node:worker_threads'
import { compileCacheEnvironment } from '../../runtime/compile-cache.ts'
import type { Log } from '../../runtime/log.ts'
import type { Content, PresentFault } from '../present.ts'
import { type PageTransport, type TransportEvents, tooMuchMemory, unexplained } from './worker.ts'

/** Old: far more than is needed, since large texts go in pieces. Young: 8 MB cost half as much time again. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export function startWorkerThread({ onReply, onExit }: TransportEvents, log: Log): PageTransport {
  let isOutOfMemory = false
  const worker = new Worker(new URL('./worker-thread-main.ts', import.meta.url), {
    name: 'content',
    execArgv: [],
    // A thread that handles untrusted pages must not see the secrets in our environment.
    env: compileCacheEnvironment(),
    resourceLimits,
  })
  worker.on('message', (message: Content | PresentFault | object) => {
    // Under `node --watch` Node reports imports on the same port.
    if ('kind' in message || 'code' in message) onReply(message)
  })
  worker.on('error', (error) => {
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      isOutOfMemory = true
    }
    log.error({ err: error }, 'A content thread died; a new one takes over the waiting pages.')
  })
  worker.on('exit', () =>
    onExit({ failure: isOutOfMemory ? tooMuchMemory : unexplained, isByPage: isOutOfMemory }),
  )

  return {
    post(page) {
      // A transferred buffer is detached here, and the caller still needs its own: send a copy.
      const body = new Uint8Array(page.body)
      worker.postMessage({ ...page, body }, [body.buffer])
    },
    async end() {
      await worker.terminate()
    },
  }
}
