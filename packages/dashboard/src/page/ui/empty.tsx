import type { ComponentChildren } from 'preact'
import { Icon, type IconName } from './icon.tsx'

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
