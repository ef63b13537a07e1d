import type { Life, OutputItem } from '../data/wire.ts'
import { Card } from '../ui/parts.tsx'

/** What a job produced: to see and to hear, and the url of any other file. */
export function JobOutput({ life }: { life: Life }) {
  return (
    <Card title="Output" kind="output">
      {life.output?.items.map((item) => (
        <Item key={item.url} item={item} life={life} />
      ))}
    </Card>
  )
}

function Item({ item: { type, url }, life: { job, input } }: { item: OutputItem; life: Life }) {
  const path = ownPath(url, job.job_id)
  const prompt = Object.values(input).find((value) => typeof value === 'string')
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
