import { createModelRun, type ModelRunProvider } from '@modelrun/ai-sdk-provider'
import { createSqliteEngine } from '@modelrun/durable/sqlite'
import { ModelRun } from 'modelrun'
import { createProxy, type ModelRunProxy } from 'modelrun/proxy'
import { createInbox, type Inbox } from 'modelrun/webhooks'
import { Videos } from './videos.ts'

/** What a process has once. Next.js loads a module more than once, and loads each when it builds: so nothing is made here. */
interface Shared {
  client: ModelRun
  videos: Videos
  inbox: Inbox
  modelrun: ModelRunProvider
  proxy: ModelRunProxy
}

/** Travels with a run to the handler of its result. */
interface VideoContext {
  video: string
}

declare global {
  var modelrunExample: Shared | undefined
}

export function getShared(): Shared {
  globalThis.modelrunExample ??= createShared()
  return globalThis.modelrunExample
}

function createShared(): Shared {
  const folder = process.env.DATA_FOLDER ?? '.'
  const client = new ModelRun() // MODELRUN_API_KEY and MODELRUN_BASE_URL
  const videos = new Videos(`${folder}/videos.db`)
  const inbox = createInbox<VideoContext>({
    client,
    engine: createSqliteEngine({ path: `${folder}/inbox.db` }),
    secret: process.env.INBOX_SECRET,
    publicUrl: process.env.PUBLIC_URL,
    onSucceeded: ({ job_id, output }, { context }) =>
      videos.end(context.video, { jobId: job_id, url: output.items[0]?.url ?? null, error: null }),
    onFailed: ({ job_id, error }, { context }) =>
      videos.end(context.video, { jobId: job_id, url: null, error: error.message }),
  })
  const proxy = createProxy({
    client,
    models: ['aurora-image'],
    secret: process.env.INBOX_SECRET,
    budget: { credits: 20 },
    // Your sessions: a cookie that a visitor cannot forge.
    authorize: ({ headers }) => {
      const [, user] = /\buser=(\w+)/.exec(headers.get('cookie') ?? '') ?? []
      return user === undefined ? undefined : { user }
    },
  })
  return { client, videos, inbox, modelrun: createModelRun({ client, webhook: inbox }), proxy }
}
