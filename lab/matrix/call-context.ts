import type { ModelRun } from 'modelrun'
import type { Outcome, Row } from './evidence.ts'
import type { Plugged, Setting } from './plugin.ts'
import type { Cell } from './service.ts'

/** Of each call that has a deadline, where no plug-in sets another. */
export const DEADLINE_MS = 800

/** What is done after the call was judged in time: a second process, a decision. */
export type Later = () => Promise<void>

/** What a call has at hand. */
export interface CallContext {
  client: ModelRun
  plain: ModelRun
  plugged: Plugged
  setting: Setting
  cell: Cell
  /** Becomes the evidence. */
  outcomes: Outcome[]
  rows: Row[]
  unreachable: string[]
  loopErrors: unknown[]
  inputOf(key: string): Record<string, unknown>
}
