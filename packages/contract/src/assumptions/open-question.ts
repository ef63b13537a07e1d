import type { RejectionKind } from './rejections.ts'

/** A question that the specification leaves open, and what the reference server does. */
export interface OpenQuestion {
  /** Section of the specification that leaves it open. */
  section: string
  /** What the specification leaves open. */
  question: string
  /** What this server does unless a switch changes it. */
  choice: string
  /** What else a service could do. */
  alternatives: readonly string[]
  /** The rejections of the option `rejections` that it is about. */
  rejections?: readonly RejectionKind[] | undefined
}
