import ky, { type Hooks, type KyInstance, type Options } from 'ky'
import type { ResolvedOptions } from '../options.ts'

/** What carries the requests of downloads. */
export interface FileKy {
  ky: KyInstance
  /** The hooks of the caller's instance. */
  hooks: Hooks
}

/**
 * ky for files. Of the caller's instance it has the hooks and their `context` alone: headers, search parameters and a
 * body are meant for the service, and files may be anywhere. An `init` hook could bring them back.
 */
export function createFileKy(client: ResolvedOptions): FileKy {
  let mine: Options = {}
  client.ky?.extend((defaults) => {
    mine = defaults
    return {}
  })
  const { init: _, ...hooks } = mine.hooks ?? {}
  const options: Options = { ...(mine.context ? { context: mine.context } : {}), timeout: false }
  return { ky: (client.ky ?? ky).create(options), hooks }
}
