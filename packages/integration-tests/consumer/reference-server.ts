import { createReferenceServer } from '@modelrun/reference-server'
import { handlers } from '@modelrun/reference-server/msw'
import { listen } from '@modelrun/reference-server/node'
import { ModelRun } from 'modelrun'
import { setupServer } from 'msw/node'

const server = createReferenceServer({ clock: 'auto', seed: 1 })

export const client = new ModelRun(server.clientOptions())

export const network = setupServer(...handlers(server, { baseUrl: 'https://api.example.com' }))

export async function serve(): Promise<string> {
  const { url, close } = await listen(server, { port: 0 })
  await close()
  return url
}
