import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { read } from '../data/control.ts'
import type { JobDetail, OutputItem } from '../data/wire.ts'
import { Loading } from '../ui/empty.tsx'

/** What a job produced, to see and to hear. */
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
        output.items.map((item) => <Item key={item.url} item={item} prompt={promptOf(detail.value)} />)
      )}
    </section>
  )
}

function Item({ item: { type, url }, prompt }: { item: OutputItem; prompt: string }) {
  const path = ownPath(url)
  if (path === undefined) return <a href={url}>{url}</a>
  if (type === 'image') return <img src={path} alt={`Picture of the job: ${prompt}`} loading="lazy" />
  // biome-ignore lint/a11y/useMediaCaption: nothing is spoken in it.
  if (type === 'video') return <video src={path} controls loop playsInline aria-label={`Film of the job: ${prompt}`} />
  // biome-ignore lint/a11y/useMediaCaption: as above.
  return <audio src={path} controls aria-label={`Sound of the job: ${prompt}`} />
}

/** Files of the server are loaded from where the page is; others are not shown. */
function ownPath(url: string): string | undefined {
  return /^https?:\/\/[^/]+.*?(\/files\/[^/]+\/[^/]+)$/.exec(url)?.[1]
}

function promptOf(detail: JobDetail | undefined): string {
  const text = Object.values(detail?.input ?? {}).find((value) => typeof value === 'string')
  return typeof text === 'string' ? text.slice(0, 120) : 'no text'
}
