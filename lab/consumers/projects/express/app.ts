// A user's server: a route that runs a model, a receiver of results, and a proxy for pages.
import express, { type ErrorRequestHandler, type Express } from 'express'
import { type ModelRun, NotFoundError } from 'modelrun'
import { createProxy } from 'modelrun/proxy'
import { createInbox, type Inbox } from 'modelrun/webhooks'

export interface AppOptions {
  client: ModelRun
  secret: string
  publicUrl: string
}

export function createApp({ client, secret, publicUrl }: AppOptions): { app: Express; inbox: Inbox; done: string[] } {
  const done: string[] = []
  const inbox = createInbox({ client, secret, publicUrl, onSucceeded: ({ job_id }) => void done.push(job_id) })
  const proxy = createProxy({
    client,
    secret,
    models: ['aurora-image'],
    budget: { credits: 5 },
    authorize: ({ headers }) => {
      const user = headers.get('x-user')
      return user === null ? undefined : { user }
    },
  })

  const app = express()
  app.use('/api/modelrun', proxy.node())
  app.use(express.json())
  app.post('/webhooks', inbox.node())
  app.post('/models/:model/images', async (request, response) => {
    const { output } = await client.run(request.params.model, { prompt: request.body.prompt }, { webhook: inbox })
    response.json({ url: output.items[0]?.url })
  })
  app.use(respondToErrors)
  return { app, inbox, done }
}

// biome-ignore lint/complexity/useMaxParams: Express knows an error handler by its four parameters
const respondToErrors: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof NotFoundError)) return next(error)
  response.status(404).json({ code: error.apiCode, submission: error.submission })
}
