/** A thread that searches rows by a part of their URL, one job after the other. */
import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import { createSealer } from '../../runtime/crypto/seal.ts'
import { collectWhenIdle } from '../../runtime/machine/collect-when-idle.ts'
import { matchUrls } from './match-urls.ts'
import type { NumberedJob } from './url-matcher.ts'

assert(parentPort, 'This file runs as a worker thread.')
const port = parentPort
collectWhenIdle()
const sealer = createSealer(workerData)

port.on('message', ({ number, job }: NumberedJob) => {
  port.postMessage({ number, ids: matchUrls(sealer, job) })
})
