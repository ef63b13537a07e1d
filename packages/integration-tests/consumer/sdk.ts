import { JobFailedError, type JobHandle, ModelRun, ModelRunError, type RunResult, toDataUri } from 'modelrun'
import { createInbox, parseWebhook } from 'modelrun/webhooks'
import { ProxyAgent, fetch as undiciFetch } from 'undici'

declare module 'modelrun' {
  interface ModelInputs {
    'aurora-image': { prompt: string; num_images?: number }
  }
}

const client = new ModelRun({ apiKey: () => 'sk_test_consumer', baseUrl: 'https://api.example.com' })

const dispatcher = new ProxyAgent('http://proxy.example.com:3128')

export const proxied: ModelRun[] = [
  new ModelRun({ fetch: undiciFetch, fetchOptions: { dispatcher }, headers: new Headers({ 'x-tenant': 'a' }) }),
  new ModelRun({
    fetch: (url, init) => undiciFetch(url, { ...init, dispatcher }),
    headers: { 'x-tenant': process.env.TENANT },
  }),
  new ModelRun({ fetch: (url, init) => fetch(url, init), headers: [['x-tenant', 'a']] }),
  // @ts-expect-error the client has an option of its own for headers
  new ModelRun({ fetchOptions: { headers: {} } }),
]

export async function firstUrl(prompt: string): Promise<string | undefined> {
  const result: RunResult = await client.run('aurora-image', { prompt }, { deadlineMs: 60_000 })
  return result.output.items[0]?.url
}

export function mistyped(): Promise<RunResult> {
  // @ts-expect-error a model whose input is declared takes that input only
  return client.run('aurora-image', { promt: 'a red fox' })
}

export async function retouched(photo: File | Uint8Array): Promise<RunResult> {
  return await client.run('northlight/retouch' as string, { image_url: await toDataUri(photo, { maxBytes: 100_000 }) })
}

export async function submit(): Promise<JobHandle> {
  return await client.submit('aurora-image', { prompt: 'a red fox' }, { webhookUrl: 'https://app.example.com/hooks' })
}

export async function ids(): Promise<string[]> {
  const found: string[] = []
  for await (const model of client.models.list({ category: 'text-to-image' })) found.push(model.id)
  return found
}

export function explain(error: unknown): string {
  if (error instanceof JobFailedError) return error.message
  return error instanceof ModelRunError ? error.code : 'unexpected'
}

export const inbox = createInbox({ client, onSucceeded: (event) => console.log(event.job_id, event.output.items) })

export async function read(request: Request): Promise<string> {
  const event = await parseWebhook(request)
  return event.job_id
}
