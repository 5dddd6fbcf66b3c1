import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TrialReport } from '../trial/run-trial.ts'

/** Operations without a method of their own, each with the reason. */
const withoutMethod: Record<string, string> = {
  getFrontPage: 'a page for people',
  getReference: 'a page for people',
  getReferenceScript: 'a part of that page',
  getLlmsTxt: 'a page for language models',
  handleMcpMessage: 'spoken by MCP clients',
}

interface DescribedOperation {
  operationId: string
  /** `GET /v1/batch/{job_id}` */
  name: string
}

/** The operations of the API description that the SDK has a method for. */
export function listOperations(): DescribedOperation[] {
  const description: { paths: Record<string, Record<string, { operationId: string }>> } =
    JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))
  return Object.entries(description.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        operationId,
        name: `${method.toUpperCase()} ${path}`,
      })),
    )
    .filter(({ operationId }) => !Object.hasOwn(withoutMethod, operationId))
}

/** A trial has passed, and the service saw every operation. */
export function expectReport(report: TrialReport, forwarded: readonly string[]): void {
  assert.deepEqual(report.failed, [])
  assert.ok(report.passed.length > 0)
  const missed = listOperations().filter(({ name }) => {
    const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
    return !forwarded.some((request) => pattern.test(request))
  })
  assert.deepEqual(missed, [], 'every operation was called')
}
