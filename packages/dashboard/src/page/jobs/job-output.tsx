import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { read } from '../data/control.ts'
import type { JobDetail, OutputItem } from '../data/wire.ts'
import { Card, Loading } from '../ui/parts.tsx'

/** What a job produced: to see and to hear, and the url of any other file. */
export function JobOutput({ jobId }: { jobId: string }) {
  const detail = useSignal<JobDetail | undefined>(undefined)
  useEffect(() => {
    detail.value = undefined
    read<JobDetail>(`jobs/${encodeURIComponent(jobId)}`).then(
      (loaded) => {
        detail.value = loaded
      },
      () => {}, // the job has gone
    )
  }, [jobId])
  const job = detail.value
  return (
    <Card title="Output" kind="output">
      {job?.output === undefined ? (
        <Loading what="the output" />
      ) : (
        job.output.items.map((item) => <Item key={item.url} item={item} job={job} />)
      )}
    </Card>
  )
}

function Item({ item: { type, url }, job }: { item: OutputItem; job: JobDetail }) {
  const path = ownPath(url, job.job_id)
  const prompt = Object.values(job.input).find((value) => typeof value === 'string')
  const name = `of the job: ${prompt?.slice(0, 120) ?? 'no text'}`
  switch (path && type) {
    case 'image':
      return <img src={path} alt={`Image ${name}`} loading="lazy" />
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: nothing is spoken in it.
      return <video src={path} controls loop playsInline aria-label={`Video ${name}`} />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: as above.
      return <audio src={path} controls aria-label={`Sound ${name}`} />
    default:
      return (
        <p>
          File of type {type}: <span class="path">{url}</span>
        </p>
      )
  }
}

/** Files that the server made for the job are loaded from where the page is; others are not shown. */
function ownPath(url: string, jobId: string): string | undefined {
  const [path, owner] = /\/files\/([^/]+)\/[^/]+$/.exec(URL.canParse(url) ? new URL(url).pathname : '') ?? []
  return owner === jobId ? path : undefined
}
