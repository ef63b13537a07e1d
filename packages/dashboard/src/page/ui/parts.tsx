import type { ComponentChildren } from 'preact'
import { now } from '../data/clock.ts'
import type { JobRow, JobStatus } from '../data/wire.ts'
import { capitalized } from '../text/format.ts'
import { Icon, type IconName } from './icon.tsx'

interface CardProps {
  title: string
  text?: string
  kind?: string
  children: ComponentChildren
}

export function Card({ title, text, kind = '', children }: CardProps) {
  return (
    <section class={`card ${kind}`} aria-label={title}>
      <h2>{title}</h2>
      {text && <p class="muted small">{text}</p>}
      {children}
    </section>
  )
}

interface EmptyProps {
  icon: IconName
  title: string
  /** Whether the page has no other heading. */
  isWhole?: boolean
  children?: ComponentChildren
}

/** Says why nothing is here, and what to do about it. */
export function Empty({ icon, title, isWhole = false, children }: EmptyProps) {
  const Heading = isWhole ? 'h1' : 'h2'
  return (
    <div class="empty">
      <Icon name={icon} />
      <Heading>{title}</Heading>
      <p>{children}</p>
    </div>
  )
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  )
}

/** The status of a job now. No event says that a job leaves the queue: the time does. */
export function statusNow({ status, processing_at_ms }: JobRow): JobStatus {
  return status === 'queued' && now.value >= processing_at_ms ? 'processing' : status
}

export function StatusBadge({ job }: { job: JobRow }) {
  const status = statusNow(job)
  return <span class={`badge ${status}`}>{capitalized(status)}</span>
}
