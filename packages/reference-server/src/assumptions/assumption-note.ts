import type { Assumptions } from './assumptions.ts'
import type { RejectionKind } from './rejections.ts'

/** One question that the specification leaves open, and how the reference server answers it. */
export interface AssumptionNote {
  /** What hints call it (`x-modelrun-hint`): the name of its switch, where it has one. */
  name: string
  /** Section of the specification that leaves it open. */
  section: string
  /** What the specification leaves open. */
  question: string
  /** What this server does unless a switch changes it. */
  choice: string
  /** What else a service could do. */
  alternatives: readonly string[]
  /** The option that switches to an alternative, where there is one. */
  switch?: Exclude<keyof Assumptions, 'rejections'> | undefined
  /** The rejections of the option `rejections` that it is about. */
  rejections?: readonly RejectionKind[] | undefined
}
