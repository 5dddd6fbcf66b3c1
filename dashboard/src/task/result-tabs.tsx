import { useQuery } from '@tanstack/react-query'
import type { ExtractJob, TargetResponse, TaskDetails } from '@trawl/sdk'
import { type ReactNode, useState } from 'react'
import { Button } from '../parts/controls.tsx'
import { Loaded, ScrolledText } from '../parts/panel.tsx'
import { bytesText, countText } from '../parts/value-text.ts'
import { cutJson } from './cut-json.ts'
import { resultQuery } from './opened-task.ts'
import { previewFormats } from './tab-names.ts'

const previewUrl = (id: string, format: string) => `/v1/tasks/${id}/preview?format=${format}`

const formatNames = { html: 'As the page', markdown: 'As markdown' }

/** The page of a stranger: it runs nothing, loads nothing and knows nothing of this page. */
export function PreviewTab({ id, response }: { id: string; response: TargetResponse }) {
  const formats = previewFormats(response)
  const [format, setFormat] = useState(formats[0] ?? 'html')
  return (
    <div className="stack">
      {formats.length > 1 && (
        <div className="row">
          {formats.map((one) => (
            <Button key={one} aria-pressed={one === format} onClick={() => setFormat(one)}>
              {formatNames[one]}
            </Button>
          ))}
        </div>
      )}
      <iframe
        key={format}
        className="preview-frame"
        title={`Preview, ${formatNames[format]}`}
        sandbox=""
        src={previewUrl(id, format)}
      />
    </div>
  )
}

export function ScreenshotTab({ id, response }: { id: string; response: TargetResponse }) {
  if (!response.screenshot) return null
  const { width, height, type } = response.screenshot
  const src = previewUrl(id, 'screenshot')
  return (
    <div className="stack">
      <div className="row">
        <a className="button" href={src} download={`${id}.${type}`}>
          Download the image
        </a>
        <span className="soft small">
          {width} × {height} pixels
        </span>
      </div>
      <img className="screenshot" src={src} width={width} height={height} alt="The page as drawn" />
    </div>
  )
}

// Larger results are read when somebody wants them; what is stored may be compressed to a tenth.
const unaskedBytesMax = 1_000_000

/** Reads the result, which may be large, and shows a part of it. */
function WithResult(props: { task: TaskDetails; children: (job: ExtractJob) => ReactNode }) {
  const { id, bytes } = props.task
  const [isWanted, setWanted] = useState((bytes ?? 0) <= unaskedBytesMax)
  const result = useQuery({ ...resultQuery(id), enabled: isWanted })
  if (isWanted || result.data) return <Loaded query={result}>{props.children}</Loaded>
  return (
    <div className="row">
      <span>The result is {bytesText(bytes ?? 0)} large.</span>
      <Button onClick={() => setWanted(true)}>Load it here</Button>
      <a className="button" href={`/v1/extract/${id}`} download={`${id}.json`}>
        Download {id}.json
      </a>
    </div>
  )
}

export const TextTab = (props: { task: TaskDetails; format: 'html' | 'markdown' }) => (
  <WithResult task={props.task}>
    {({ data }) => {
      const text = data?.[props.format]
      if (typeof text !== 'string') return <p>The result has no {props.format}.</p>
      const name = `${props.task.id}.${props.format === 'html' ? 'html' : 'md'}`
      return <ResultText label={props.format} text={text} file={{ name, whole: () => text }} />
    }}
  </WithResult>
)

export const JsonTab = ({ task }: { task: TaskDetails }) => (
  <WithResult task={task}>
    {(job) => {
      const file = { name: `${task.id}.json`, whole: () => JSON.stringify(job, null, 2) }
      return <ResultText label="JSON" {...cutJson(job, shownCharactersMax)} file={file} />
    }}
  </WithResult>
)

/** More text makes the page slow, and nobody reads it here. */
const shownCharactersMax = 200_000

/** Text of a stranger, cut at a length; the whole can be saved as a file. */
function ResultText(props: {
  label: string
  text: string
  /** Said where the text was cut before. */
  isCut?: boolean
  file: { name: string; whole: () => string }
}) {
  const { label, text, file } = props
  const shown = text.slice(0, shownCharactersMax)
  const isCut = props.isCut || shown.length < text.length
  return (
    <div className="stack">
      <div className="row">
        <Button onClick={() => saveText(file.name, file.whole())}>Download {file.name}</Button>
        {isCut && (
          <span className="soft small">
            The first {countText(shown.length)} characters are shown; the file has all.
          </span>
        )}
      </div>
      <ScrolledText label={label} className="result-text long-text">
        {shown}
      </ScrolledText>
    </div>
  )
}

function saveText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
