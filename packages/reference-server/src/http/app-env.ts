import type { Context } from 'hono'
import type { Work } from '../clock/activity.ts'
import type { ApiKey } from '../domain/api-keys.ts'

/** What every handler knows about a request besides the request. */
export interface AppEnv {
  Bindings: {
    /** Address of the client. */
    ip: string
    /** To park while the request waits on the clock. */
    work: Work
  }
  Variables: {
    /** Who asks; set for every path below `/v1`. */
    apiKey: ApiKey
  }
}

export type AppContext = Context<AppEnv>
