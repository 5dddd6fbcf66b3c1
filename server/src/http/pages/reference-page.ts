import { type FailureCode, failures } from '../../domain/failure.ts'
import { statusOf } from '../errors/problem.ts'
import type { JsonSchema, OpenApiDocument, Operation } from '../openapi/document.ts'
import { listOperations, type PlacedOperation, resolveOperation } from '../openapi/operations.ts'
import { webhooksTag } from '../openapi/webhooks.ts'
import type { RouteResponse } from '../route.ts'
import { type Html, html, page, prose } from './html-page.ts'
import { referenceScript } from './reference-script.ts'

/**
 * Renders the OpenAPI document as a page without requests to other hosts. It can be read without its
 * script, which adds forms to try the operations.
 */
export function referencePage(api: OpenApiDocument): RouteResponse {
  const sent = Object.entries(api.webhooks).map(([name, { post }]) =>
    deliverySection(name, resolveOperation(api, post)),
  )
  const operations = listOperations(api)
  const families = api.tags.map(
    (tag) => html`<h2>${tag.name}</h2><p>${prose(tag.description)}</p>
${operations.filter(({ operation }) => operation.tags.includes(tag.name)).map(operationSection)}
${tag.name === webhooksTag.name ? sent : ''}`,
  )
  return page(
    'Trawl reference',
    html`<p class="soft"><a href="/">Trawl</a> ${api.info.version}</p>
<h1>Reference</h1>
<p>For machines: <a href="/openapi.json">openapi.json</a>.</p>
<ul id="contents">${operations.map(contentsEntry)}</ul>
${families}
<h2 id="schemas">Bodies</h2>
${Object.entries(api.components.schemas).map(schemaSection)}
<h2 id="codes">Error codes</h2>
<table><tr><th>Code</th><th>Status</th><th>Retry</th><th>Meaning</th></tr>
${(Object.keys(failures) as FailureCode[]).map(codeRow)}</table>`,
    referenceScript,
  )
}

const contentsEntry = ({ path, method, operation }: PlacedOperation): Html =>
  html`<li><a href="#${operation.operationId}"><code>${method.toUpperCase()} ${path}</code></a> ${operation.summary}</li>`

function operationSection({ path, method, operation }: PlacedOperation): Html {
  const body = operation.requestBody?.content['application/json']?.schema
  return html`<section data-operation="${operation.operationId}" aria-labelledby="${operation.operationId}">
<h3 id="${operation.operationId}"><code><span class="method">${method.toUpperCase()}</span> ${path}</code></h3>
<p>${operation.summary} ${prose(operation.description ?? '')}</p>
${operation.parameters ? parameterTable(operation.parameters) : ''}
${body ? html`<p>Body</p>${schemaView(body)}` : ''}
<table><tr><th>Status</th><th>Response</th><th>Body</th></tr>
${Object.entries(operation.responses).map(
  ([status, { description, content }]) =>
    html`<tr><td>${status}</td><td>${prose(description)}</td><td>${Object.entries(content).map(
      ([mediaType, { schema }]) =>
        mediaType === 'application/json' ? schemaView(schema) : html`<code>${mediaType}</code>`,
    )}</td></tr>`,
)}</table></section>`
}

/** What the service posts; nobody can send it, so there is nothing to try. */
function deliverySection(
  name: string,
  { operationId, summary, description, ...rest }: Operation,
): Html {
  const body = rest.requestBody?.content['application/json']?.schema ?? {}
  return html`<section aria-labelledby="${operationId}"><h3 id="${operationId}"><code>${name}</code></h3>
<p>${prose(summary)}. ${prose(description ?? '')}</p>
${parameterTable(rest.parameters ?? [])}
<p>Body</p>${schemaView(body)}</section>`
}

const parameterTable = (parameters: NonNullable<Operation['parameters']>): Html =>
  html`<table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>${parameters.map(
    (
      one,
    ) => html`<tr><td><code>${one.name}</code> <span class="soft">${one.in}${one.required ? '' : ', optional'}</span></td>
<td>${typeView(one.schema)}</td><td>${prose(one.description ?? '')}</td></tr>`,
  )}</table>`

const schemaSection = ([name, schema]: [string, JsonSchema]): Html =>
  html`<h3 id="schema-${name}"><code>${name}</code></h3>${schemaView(schema)}`

function schemaView(schema: JsonSchema): Html {
  const properties = schema['properties'] as Record<string, JsonSchema> | undefined
  if (!properties) return typeView(schema)
  const required = (schema['required'] ?? []) as string[]
  return html`<table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>${Object.entries(
    properties,
  ).map(
    ([
      name,
      field,
    ]) => html`<tr><td><code>${name}</code>${required.includes(name) ? '' : html` <span class="soft">optional</span>`}</td>
<td>${typeView(field)}</td><td>${prose(String(field['description'] ?? ''))}</td></tr>`,
  )}</table>`
}

function typeView(schema: JsonSchema): Html {
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].split('/').at(-1) ?? ''
    return html`<a href="#schema-${name}">${name}</a>`
  }
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(alternatives)) {
    return html`${alternatives.map((one, index) => html`${index > 0 ? ' or ' : ''}${typeView(one)}`)}`
  }
  if (schema['properties']) return schemaView(schema)
  if (schema['const'] !== undefined) return html`<code>${String(schema['const'])}</code>`
  if (Array.isArray(schema['enum'])) {
    return html`${schema['enum'].map((one) => html`<code>${String(one)}</code> `)}`
  }
  if (schema['type'] === 'array')
    return html`list of ${typeView((schema['items'] ?? {}) as JsonSchema)}`
  const values = schema['additionalProperties']
  if (schema['type'] === 'object' && values && typeof values === 'object') {
    return html`map of ${typeView(values as JsonSchema)}`
  }
  return html`${[schema['type'] ?? 'any'].flat().join(' or ')}${boundsView(schema)}`
}

function boundsView(schema: JsonSchema): string {
  const bounds: [string, string][] = [
    ['minimum', '≥'],
    ['maximum', '≤'],
    ['maxLength', 'length ≤'],
    ['default', 'default'],
  ]
  return bounds
    .filter(([key]) => schema[key] !== undefined)
    .map(([key, word]) => `, ${word} ${JSON.stringify(schema[key])}`)
    .join('')
}

const codeRow = (code: FailureCode): Html =>
  html`<tr><td><code>${code}</code></td><td>${String(statusOf[code])}</td>
<td>${failures[code].isRetryable ? 'yes' : 'no'}</td><td>${prose(failures[code].meaning)}</td></tr>`
