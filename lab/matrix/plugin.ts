import type { Engine, RunsOptions } from '@modelrun/durable'
import type { ModelRun, ModelRunOptions, RunManyOptions, RunOptions } from 'modelrun'
import type { Cell } from './service.ts'

/** How the run is started. */
export const CALLS = ['sync', 'async', 'submit', 'many', 'batch'] as const
export type Call = (typeof CALLS)[number]

/** What a plug-in adds to a call. */
export interface Plugged {
  client?: ModelRunOptions
  run?: RunOptions
  many?: RunManyOptions
  runs?: Partial<RunsOptions>
  /** Replaces the input of the run. */
  input?: (key: string) => object
  engine?: (engine: Engine) => Engine
  close?: () => Promise<void>
}

/** What a plug-in knows of its cell. */
export interface Setting {
  cell: Cell
  baseUrl: string
  signal: AbortSignal
  /** Aborts the signal, and notes when. */
  abort(): void
  /** An error of the caller's own program, which names the cell. */
  fault(code?: string): Error
  /** A client without plug-ins. */
  plainClient(): ModelRun
}

/** Something that the caller passes to the client. */
export interface Plugin {
  name: string
  /** Default: all calls. */
  calls?: readonly Call[]
  /** A run that would end with its result does so with this plug-in, too. */
  isHarmless?: boolean
  /** The client does not see what the service responds. */
  hidesResponses?: boolean
  /** The client itself may reject the run for good: it cannot be sent, or is too expensive. */
  mayReject?: boolean
  /** It is the caller's own loop that ends by its error. */
  mayThrowRaw?: boolean
  plug(setting: Setting): Plugged
}

/** A promise that never settles. */
export const never = <T>(): Promise<T> => new Promise<T>(() => {})
