import { createServer } from 'node:http'
import express from 'express'
import { ModelRun } from 'modelrun'
import { type BudgetStore, createProxy, type ModelRunProxy } from 'modelrun/proxy'

declare const store: BudgetStore

export const proxy: ModelRunProxy = createProxy({
  client: new ModelRun(),
  models: ['aurora-image'],
  secret: process.env.MODELRUN_PROXY_SECRET,
  budget: { credits: 100, store },
  authorize: async (request) => {
    const user = request.headers.get('x-user')
    return user === null ? undefined : { user }
  },
})

createServer(proxy.node())
express().use('/api/modelrun', proxy.node())

/** What a route of Next.js exports. */
export const GET: (request: Request, context: { params: Promise<{ path: string[] }> }) => Promise<Response> =
  proxy.handle
