import ky, { type Hooks, type KyInstance, type Options } from 'ky'
import type { ResolvedOptions } from '../options.ts'

/** ky for the requests of downloads. */
export interface FileKy {
  ky: KyInstance
  /** The hooks of the caller's instance. */
  hooks: Hooks
}

/**
 * ky for files. It has only the hooks of the caller's instance and their `context`: headers, search parameters and a body
 * are for the service, and files may be on any host. `init` hooks are left out, because they could add them again.
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
      // These hooks see the error. They do not replace it.
      beforeError: beforeError.map((hook) => async (state) => {
        await hook(state)
        return state.error
      }),
    },
  }
}
