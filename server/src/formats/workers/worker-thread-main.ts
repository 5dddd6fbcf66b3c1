/** What a worker thread runs: it presents one page after the other and replies in the order of arrival. */
import assert from 'node:assert/strict'
import { parentPort } from 'node:worker_threads'
import { Failure } from '../../domain/failure.ts'
import { collectGarbage } from '../../runtime/machine/collect-garbage.ts'
import { collectWhenIdle } from '../../runtime/machine/collect-when-idle.ts'
import {
  isLarge,
  NeedsProcess,
  type PageToPresent,
  type PresentFault,
  present,
} from '../present.ts'

assert(parentPort, 'This file runs as a worker thread.')
const port = parentPort
collectWhenIdle()

let last: Promise<void> = Promise.resolve()
port.on('message', (page: PageToPresent) => {
  const leavesGarbage = isLarge(page)
  last = last
    .then(() => reply(page))
    // Before the next one, which may be as large.
    .then(() => (leavesGarbage ? collectGarbage('regular') : undefined))
})

async function reply(page: PageToPresent): Promise<void> {
  try {
    const content = await present(page)
    const bytes = ownBytes(content.bytes)
    port.postMessage({ ...content, bytes }, [bytes.buffer])
  } catch (error) {
    port.postMessage(toFault(error))
  }
}

/** A transfer moves the whole buffer, so the bytes must be the only content of theirs. */
const ownBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes)

function toFault(error: unknown): PresentFault {
  const detail = error instanceof Error ? error.stack : String(error)
  if (!(error instanceof Failure)) {
    const fault = { code: 'INTERNAL_ERROR', message: 'The page could not be presented.' } as const
    return error instanceof NeedsProcess
      ? { ...fault, detail: undefined, needsProcess: true }
      : { ...fault, detail }
  }
  return { code: error.code, message: error.message, detail: undefined }
}
