import { Worker } from 'node:worker_threads'
import { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Carrier, CarrierEvents } from './content-worker.ts'
import type { Content, PresentFault } from './present.ts'

/** Old: far more than is needed, since large texts go in pieces. Young: more costs 45 MB, for nothing. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 }

export function startContentThread({ onAnswer, onGone }: CarrierEvents, log: Log): Carrier {
  let failure: Failure | undefined
  const worker = new Worker(new URL('./present-thread.ts', import.meta.url), {
    name: 'content',
    execArgv: [],
    // Whoever handles what strangers wrote has no use for our secrets.
    env: {},
    resourceLimits,
  })
  worker.on('message', (message: Content | PresentFault | object) => {
    // Under `node --watch` the runtime reports imports on the same port.
    if ('kind' in message || 'code' in message) onAnswer(message)
  })
  worker.on('error', (error) => {
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      failure = new Failure('RESPONSE_TOO_LARGE', 'The answer takes too much memory to present.')
    }
    log.error({ err: error }, 'A content thread died.')
  })
  worker.on('exit', () => onGone(failure))

  return {
    post(job) {
      // What crosses is detached here, and the caller goes on using its own.
      const body = new Uint8Array(job.body)
      worker.postMessage({ ...job, body }, [body.buffer])
    },
    async end() {
      await worker.terminate()
    },
  }
}
