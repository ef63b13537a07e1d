// A page's program: its compiler knows the DOM and nothing of Node.
import { createReferenceServer, type ReferenceServer } from '@modelrun/reference-server'
import { ModelRun, ModelRunError } from 'modelrun'
import { createInbox } from 'modelrun/webhooks'

export const server: ReferenceServer = createReferenceServer({ clock: 'auto' })
export const inbox = createInbox({ client: new ModelRun(server.clientOptions()), onSucceeded: () => {} })

export async function firstUrl(prompt: string): Promise<string | undefined> {
  try {
    const { output } = await new ModelRun(server.clientOptions()).run('aurora-image', { prompt })
    return output.items[0]?.url
  } catch (error) {
    return error instanceof ModelRunError ? error.code : undefined
  }
}

export async function copyOf(url: string): Promise<Blob> {
  const file = await new ModelRun(server.clientOptions()).files.download(url)
  return new Blob([await file.bytes()])
}
