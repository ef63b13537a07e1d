import type { Assumptions, RejectionKind } from '@modelrun/contract'

/** The options that switch an assumption. */
export type SwitchName = Exclude<keyof Assumptions, 'rejections'>

/** A question that the specification leaves open, and the choice of the reference server. */
export interface AssumptionNote {
  /** Its name in hints (`x-modelrun-hint`): that of its switch, where it has one. */
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
  switch?: SwitchName | undefined
  /** The rejections of the option `rejections` that it is about. */
  rejections?: readonly RejectionKind[] | undefined
}

/** A note without what follows from its name. */
export type NoteText = Omit<AssumptionNote, 'name' | 'switch'>
