/** An event of a stream of server-sent events. */
export interface StreamEvent {
  id: string | undefined
  name: string
  data: string
}

/** Reads the events of a `text/event-stream` from its lines. Comments, which keep it alive, are left out. */
export async function* readEvents(lines: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  let fields: Partial<Record<string, string>> = {}
  for await (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*?)\r?$/.exec(line) ?? []
    if (line === '' || line === '\r') {
      const { id, event = 'message', data } = fields
      if (data !== undefined) yield { id, name: event, data }
      fields = {}
    } else if (name === 'data' && fields['data'] !== undefined) fields['data'] += `\n${value}`
    else if (name !== '') fields[name] = value
  }
}
