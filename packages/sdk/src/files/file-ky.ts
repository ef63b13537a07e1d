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
  const { beforeRequest = [], beforeRetry = [], afterResponse = [], beforeError = [] } = mine.hooks ?? {}
  return {
    ky: ky.create({ timeout: false, ...(mine.context ? { context: mine.context } : {}) }),
    hooks: {
      beforeRequest,
      beforeRetry,
      afterResponse,
      // They see the error. What a download fails with stays ours.
      beforeError: beforeError.map((hook) => async (state) => {
        await hook(state)
        return state.error
      }),
    },
  }
}
