import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { read } from '../data/control.ts'
import type { JobDetail, OutputItem } from '../data/wire.ts'
import { Loading } from '../ui/empty.tsx'

/** What a job produced: to see and to hear, and any other file to open. */
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
  const output = detail.value?.output
  return (
    <section class="card output" aria-label="Output">
      <h2>Output</h2>
      {output === undefined ? (
        <Loading what="the output" />
      ) : (
        output.items.map((item) => <Item key={item.url} item={item} job={detail.value} />)
      )}
    </section>
  )
}

function Item({ item: { type, url }, job }: { item: OutputItem; job: JobDetail | undefined }) {
  const path = ownPath(url, job?.job_id)
  const prompt = promptOf(job)
  if (path === undefined) return <OtherFile type={type} url={url} />
  switch (type) {
    case 'image':
      return <img src={path} alt={`Picture of the job: ${prompt}`} loading="lazy" />
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: nothing is spoken in it.
      return <video src={path} controls loop playsInline aria-label={`Film of the job: ${prompt}`} />
    case 'audio':
      // biome-ignore lint/a11y/useMediaCaption: as above.
      return <audio src={path} controls aria-label={`Sound of the job: ${prompt}`} />
    default:
      return <OtherFile type={type} url={path} />
  }
}

/** A file of a type that is not shown, or of another server. Only the web: a url may be anything. */
function OtherFile({ type, url }: OutputItem) {
  const isOfTheWeb = /^(https?:\/)?\//.test(url)
  return (
    <p>
      File of type {type}:{' '}
      {isOfTheWeb ? (
        <a class="path" href={url} target="_blank" rel="noopener noreferrer">
          {url}
        </a>
      ) : (
        <span class="path">{url}</span>
      )}
    </p>
  )
}

/** Files that the server made for the job are loaded from where the page is; others are not shown. */
function ownPath(url: string, jobId: string | undefined): string | undefined {
  const [path, owner] = /\/files\/([^/]+)\/[^/]+$/.exec(URL.canParse(url) ? new URL(url).pathname : '') ?? []
  return owner === jobId ? path : undefined
}

function promptOf(detail: JobDetail | undefined): string {
  const text = Object.values(detail?.input ?? {}).find((value) => typeof value === 'string')
  return typeof text === 'string' ? text.slice(0, 120) : 'no text'
}
