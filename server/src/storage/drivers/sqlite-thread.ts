/**
 * The database thread. It takes whatever has arrived, runs it as one group and answers after the
 * commit; while a commit waits for the disk, the next group gathers by itself.
 */
import assert from 'node:assert/strict'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { SqlValue } from '../statement.ts'
import { CallGroup, isError, type StepText } from './call-group.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { breaksConnection, toCallError } from './sqlite-errors.ts'
import type {
  Batch,
  CallAnswer,
  GroupAnswer,
  SqliteThreadOptions,
  SqlStep,
} from './sqlite-messages.ts'
import { isReadOnly } from './sqlite-read-only.ts'

assert(parentPort, 'This file runs as a worker thread.')
const port = parentPort
const options: SqliteThreadOptions = workerData

// A longer group would keep its first caller waiting for the work of its last.
const groupCallsMax = 1_024

const texts = new Map<number, StepText>()
let connection: SqliteConnection | undefined
let commits = 0
let statements = 0

port.on('message', (message: Batch | 'close') => {
  const batches: Batch[] = []
  let callCount = 0
  let next: Batch | 'close' | undefined = message
  while (next !== undefined && next !== 'close') {
    batches.push(next)
    callCount += next.calls.length
    next = callCount < groupCallsMax ? receiveMessageOnPort(port)?.message : undefined
  }
  if (batches.length > 0) answer(batches)
  if (next === 'close') close()
})

function answer(batches: readonly Batch[]): void {
  for (const [number, sql] of batches.flatMap(({ newTexts }) => newTexts)) {
    texts.set(number, { sql, isRead: isReadOnly(sql), isKept: true })
  }
  const { done, answers } = runGroup(batches)
  let from = 0
  const answered = done.map(({ number, calls }) => {
    from += calls.length
    return [number, answers.slice(from - calls.length, from)] as const
  })
  const groupAnswer: GroupAnswer = { batches: answered, commits, statements }
  port.postMessage(groupAnswer, buffersOf(answers))
}

interface DoneBatches {
  readonly done: readonly Batch[]
  readonly answers: readonly CallAnswer[]
}

function runGroup(batches: readonly Batch[]): DoneBatches {
  try {
    connection ??= new SqliteConnection(options)
  } catch (error) {
    const cannotOpen = toCallError(error)
    return { done: batches, answers: batches.flatMap(({ calls }) => calls.map(() => cannotOpen)) }
  }
  const group = new CallGroup(connection, textOf)
  const done: Batch[] = []
  for (const batch of batches) {
    // What nobody waits for any more is not done: the caller was told that it failed.
    if (process.hrtime.bigint() > batch.expiresAtNs) continue
    for (const call of batch.calls) group.add(call)
    done.push(batch)
  }
  const result = group.finish()
  commits += result.commits
  if (result.errors.some(breaksConnection)) dropConnection()
  return { done, answers: result.answers }
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

/** Blobs are handed over rather than copied. */
function buffersOf(answers: readonly CallAnswer[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const callAnswer of answers) {
    if (isError(callAnswer)) continue
    for (const { rows } of callAnswer) for (const row of rows) collectBuffers(row, buffers)
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
