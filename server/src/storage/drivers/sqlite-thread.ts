/**
 * A database thread. The one that writes runs all batches that have arrived as one group and responds after
 * the commit (group commit); while a commit waits for the disk, the next group gathers. A bulk write is a
 * group of its own, after the others that have arrived. The one that only reads responds to each batch, as
 * it has nothing to commit.
 */
import assert from 'node:assert/strict'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { collectWhenIdle } from '../../runtime/machine/collect-when-idle.ts'
import type { SqlValue } from '../statement.ts'
import { GroupCommit, isError, type StepText } from './group-commit.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { breaksConnection, toCallError } from './sqlite-errors.ts'
import type {
  Batch,
  CallResponse,
  GroupResponse,
  SqliteThreadOptions,
  SqlStep,
} from './sqlite-messages.ts'
import { isReadOnly } from './sqlite-read-only.ts'

assert(parentPort, 'This file runs as a worker thread.')
const port = parentPort
collectWhenIdle()
const options: SqliteThreadOptions = workerData

// In a larger group the first caller would wait too long for the work of the last.
const groupCallsMax = options.isReader ? 1 : 1_024

const texts = new Map<number, StepText>()
let connection: SqliteConnection | undefined
let commits = 0
let statements = 0

const bulkWrites: Batch[] = []

port.on('message', (first: Batch | 'close') => {
  let isClosing = gatherAndRespond(first)
  for (let bulk = bulkWrites.shift(); bulk; bulk = bulkWrites.shift()) {
    respondTo([bulk])
    const next: Batch | 'close' | undefined = receiveMessageOnPort(port)?.message
    if (next !== undefined) isClosing = gatherAndRespond(next) || isClosing
  }
  if (isClosing) close()
})

/** Responds to all that has arrived but bulk writes, which it puts aside. True once the thread is to end. */
function gatherAndRespond(first: Batch | 'close'): boolean {
  const batches: Batch[] = []
  let callCount = 0
  let next: Batch | 'close' | undefined = first
  while (next !== undefined && next !== 'close') {
    learnTexts(next)
    if (next.isBulk) bulkWrites.push(next)
    else batches.push(next)
    callCount += next.calls.length
    next = callCount < groupCallsMax ? receiveMessageOnPort(port)?.message : undefined
  }
  if (batches.length > 0) respondTo(batches)
  return next === 'close'
}

function learnTexts({ newTexts }: Batch): void {
  for (const [number, sql] of newTexts) {
    texts.set(number, { sql, isRead: isReadOnly(sql), isKept: true })
  }
}

function respondTo(batches: readonly Batch[]): void {
  const { done, responses } = runGroup(batches)
  let from = 0
  const responded = done.map(({ number, calls }) => {
    from += calls.length
    return [number, responses.slice(from - calls.length, from)] as const
  })
  const groupResponse: GroupResponse = { batches: responded, commits, statements }
  port.postMessage(groupResponse, buffersOf(responses))
}

function runGroup(batches: readonly Batch[]) {
  try {
    connection ??= new SqliteConnection(options)
  } catch (error) {
    const cannotOpen = toCallError(error)
    return { done: batches, responses: batches.flatMap(({ calls }) => calls.map(() => cannotOpen)) }
  }
  const group = new GroupCommit(connection, textOf)
  const done: Batch[] = []
  for (const batch of batches) {
    // A batch past its deadline is not run: its callers already got an error.
    if (process.hrtime.bigint() > batch.expiresAtNs) continue
    for (const call of batch.calls) group.add(call)
    done.push(batch)
  }
  const result = group.finish()
  commits += result.commits
  if (result.errors.some(breaksConnection)) dropConnection()
  return { done, responses: result.responses }
}

function textOf({ text, isScript }: SqlStep): StepText {
  statements += 1
  if (typeof text === 'string') {
    return { sql: text, isRead: !isScript && isReadOnly(text), isKept: false }
  }
  const known = texts.get(text)
  assert(known, 'A text crosses before its number is used.')
  return known
}

/** Blobs are transferred rather than copied. */
function buffersOf(responses: readonly CallResponse[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const callResponse of responses) {
    if (isError(callResponse)) continue
    for (const { rows } of callResponse) for (const row of rows) collectBuffers(row, buffers)
  }
  return buffers
}

function collectBuffers(row: readonly SqlValue[], into: ArrayBuffer[]): void {
  for (const value of row) {
    if (value instanceof Uint8Array) into.push(value.buffer as ArrayBuffer)
  }
}

function dropConnection(): void {
  try {
    connection?.close()
  } finally {
    connection = undefined
  }
}

function close(): void {
  dropConnection()
  port.close()
}
