import ky, { type Hooks, type KyInstance } from 'ky'
import type { ResolvedOptions } from '../options.ts'

/** ky for the calls of one client. */
export interface CallKy {
  ky: KyInstance
  /** The hooks of the caller's instance. They are separate because the client's wait before a retry comes first. */
  beforeRetry: NonNullable<Hooks['beforeRetry']>
}

/** ky builds the requests and runs the retries. What ky would decide by itself is set here. */
export function createKy(client: ResolvedOptions): CallKy {
  let beforeRetry: CallKy['beforeRetry'] = []
  const callKy = (client.ky ?? ky).extend((defaults) => {
    beforeRetry = defaults.hooks?.beforeRetry ?? []
    return {
      prefix: client.baseUrl,
      // Following a redirect would take the key, or a second POST, to another place.
      redirect: 'manual' as const,
      // ky's timer ends with the head, and knows no clock but the system's: `sendAttempt` has one over head and body.
      timeout: false as const,
      totalTimeout: false as const,
      // To ky, a list that is undefined removes the one of the instance; its types leave that out.
      hooks: { beforeRetry: undefined } as unknown as Hooks,
    }
  })
  return { ky: callKy, beforeRetry }
}
