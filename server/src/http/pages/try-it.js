/**
 * Runs in the browser, on the reference page: adds a form to every operation that sends a real request.
 * Credentials stay in the fields and go to this origin only. A response may hold anything that a target
 * sent, so it is shown as text; the policy of the page forbids to turn text into HTML (Trusted Types).
 */

// More would make the page slow, and nobody reads it.
const shownCharactersMax = 65_536
const textual = /json|text|xml|javascript|event-stream/

const credentials = addCredentials()
void addForms()

async function addForms() {
  const response = await fetch('/openapi.json', { credentials: 'omit' })
  const { paths, components } = await response.json()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [], ...operation }] of Object.entries(methods)) {
      const resolved = parameters
        .map((one) => resolve(components, one))
        .map((one) => ({ ...one, schema: resolve(components, one.schema) }))
      addTryIt(path, method, { ...operation, parameters: resolved })
    }
  }
  document.documentElement.dataset.tryIt = 'ready'
}

/** What operations share is written once and referenced. */
function resolve(components, part) {
  const [kind, name] = part.$ref?.split('/').slice(-2) ?? []
  return name ? components[kind][name] : part
}

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

function addCredentials() {
  const field = (type) => element('input', { type, autocomplete: 'off', spellcheck: false })
  const fields = { key: field('password'), username: field('text'), password: field('password') }
  const note = 'For the forms below. They are kept in this page only and are gone when it is left.'
  const view = element(
    'fieldset',
    { id: 'credentials' },
    element('legend', {}, 'Credentials'),
    element('p', { className: 'soft' }, note),
    element('label', {}, 'API key', fields.key),
    element('label', {}, 'User name', fields.username),
    element('label', {}, 'Password', fields.password),
  )
  document.getElementById('contents').before(view)
  // A page that is kept for the button "back" would keep them too.
  addEventListener('pagehide', () => {
    for (const input of Object.values(fields)) input.value = ''
  })
  return fields
}

function addTryIt(path, method, operation) {
  const section = document.querySelector(`section[data-operation="${operation.operationId}"]`)
  const details = element('details', { className: 'try' }, element('summary', {}, 'Try it'))
  section?.append(details)
  details.addEventListener('toggle', () => {
    if (details.open && !details.querySelector('form')) {
      details.append(...formOf(path, method.toUpperCase(), operation))
    }
  })
}

function formOf(path, method, operation) {
  const parameters = operation.parameters.map((one) => ({ ...one, input: inputOf(one) }))
  const body = operation.requestBody ? bodyEditor(operation.requestBody) : undefined
  const curl = element('pre', { className: 'curl', tabIndex: 0 })
  const send = element('button', { type: 'submit' }, 'Send')
  const stop = element('button', { type: 'button', disabled: true }, 'Stop')
  const form = element(
    'form',
    { autocomplete: 'off' },
    ...parameters.map(parameterView),
    ...(body ? body.views : []),
    element('p', {}, send, ' ', stop),
  )
  const output = outputView()
  const request = () => requestOf({ path, method, operation, parameters, body })
  const showCurl = () => {
    curl.textContent = curlOf(request())
  }
  form.addEventListener('input', showCurl)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const controller = new AbortController()
    stop.onclick = () => controller.abort()
    send.disabled = true
    stop.disabled = false
    await sendRequest(request(), output, controller)
    send.disabled = false
    stop.disabled = true
  })
  showCurl()
  return [form, element('p', { className: 'soft' }, 'The same with curl'), curl, output.view]
}

function inputOf({ name, required, schema }) {
  if (schema.enum) {
    const options = ['', ...schema.enum].map((value) => element('option', { value }, value))
    return element('select', { required }, ...options)
  }
  const input = element('input', { type: 'text', required, spellcheck: false, autocomplete: 'off' })
  if (schema.type === 'integer') {
    input.type = 'number'
    input.min = schema.minimum ?? ''
    input.max = schema.maximum ?? ''
  }
  if (schema.default !== undefined) input.placeholder = String(schema.default)
  input.dataset.parameter = name
  return input
}

function parameterView({ name, in: where, required, description = '', input }) {
  const kind = element('span', { className: 'soft' }, ` ${where}${required ? ', required' : ''}`)
  const about = element('span', { className: 'soft' }, description)
  return element('label', {}, element('code', {}, name), kind, input, about)
}

function bodyEditor({ content }) {
  const examples = Object.values(content['application/json'].examples ?? {})
  const textOf = (example) => JSON.stringify(example?.value ?? {}, null, 2)
  const input = element('textarea', { rows: 10, spellcheck: false, value: textOf(examples[0]) })
  const views = [element('label', {}, 'Body', input)]
  if (examples.length > 1) {
    const options = examples.map(({ summary }, index) =>
      element('option', { value: String(index) }, summary),
    )
    const select = element('select', {}, ...options)
    select.addEventListener('change', () => {
      input.value = textOf(examples[Number(select.value)])
    })
    views.unshift(element('label', {}, 'Example', select))
  }
  return { input, views }
}

function requestOf({ path, method, operation, parameters, body }) {
  const given = parameters.filter(({ input }) => input.value !== '')
  const inPlace = (where) => given.filter((one) => one.in === where)
  let filled = path
  for (const { name, input } of inPlace('path')) {
    filled = filled.replace(`{${name}}`, encodeURIComponent(input.value))
  }
  const url = new URL(filled, location.origin)
  for (const { name, input } of inPlace('query')) url.searchParams.append(name, input.value)
  const headers = Object.fromEntries(inPlace('header').map((one) => [one.name, one.input.value]))
  if (body) headers['Content-Type'] = 'application/json'
  const accepts = (scheme) => operation.security.some((one) => scheme in one)
  return { method, url, headers, body: body?.input.value, accepts }
}

function curlOf({ method, url, headers, body, accepts }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
  const parts = [`curl -X ${method} ${quoted(url.href)}`]
  if (accepts('apiKeyAuth')) parts.push('-H "X-Api-Key: $TRAWL_API_KEY"')
  else if (accepts('basicAuth')) parts.push('-u "$TRAWL_USERNAME:$TRAWL_PASSWORD"')
  for (const [name, value] of Object.entries(headers)) {
    parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  if (body !== undefined) parts.push(`--data-raw ${quoted(body)}`)
  return parts.join(' \\\n  ')
}

function withCredentials({ headers, accepts }) {
  const { key, username, password } = credentials
  if (accepts('apiKeyAuth') && key.value !== '') return { ...headers, 'X-Api-Key': key.value }
  if (!accepts('basicAuth') || username.value === '') return headers
  const bytes = new TextEncoder().encode(`${username.value}:${password.value}`)
  return { ...headers, Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}

function outputView() {
  const status = element('p', { className: 'status', role: 'status' })
  const headers = element('pre', { className: 'headers', tabIndex: 0, hidden: true })
  const body = element('pre', { className: 'response', tabIndex: 0, hidden: true })
  const note = element('p', { className: 'soft' })
  return { status, headers, body, note, view: element('div', {}, status, headers, body, note) }
}

async function sendRequest(request, output, controller) {
  const { method, url, body } = request
  output.status.textContent = 'Waiting…'
  output.note.textContent = ''
  output.headers.hidden = true
  output.body.hidden = true
  try {
    const response = await fetch(url, {
      method,
      headers: withCredentials(request),
      body,
      // What the browser knows by itself, such as a stored password, is not sent.
      credentials: 'omit',
      mode: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: controller.signal,
    })
    output.status.textContent = `${response.status} ${response.statusText}`
    output.headers.textContent = [...response.headers].map((pair) => pair.join(': ')).join('\n')
    output.headers.hidden = false
    await showBody(response, output, controller)
  } catch (error) {
    if (controller.signal.aborted) output.note.textContent ||= 'Stopped.'
    else output.status.textContent = `No response: ${error.message}`
  }
}

/** A stream may have no end, so what has come is shown at once. */
async function showBody(response, output, controller) {
  const type = response.headers.get('content-type') ?? ''
  const isText = textual.test(type)
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  output.body.hidden = !isText
  output.body.textContent = ''
  for (const reader = response.body?.getReader(); reader; ) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (!isText) continue
    text += decoder.decode(value, { stream: true })
    output.body.textContent = text.slice(0, shownCharactersMax)
    if (text.length > shownCharactersMax) {
      output.note.textContent = `Cut after ${shownCharactersMax} characters; the rest was not read.`
      controller.abort()
      return
    }
  }
  output.note.textContent = isText ? `${bytes} bytes.` : `${bytes} bytes of ${type}, not shown.`
  if (/^application\/json\b/.test(type)) output.body.textContent = indented(text)
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
