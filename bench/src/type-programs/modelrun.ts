import { isJobFailedError, ModelRun } from 'modelrun'

const client = new ModelRun({ apiKey: 'key', baseUrl: 'https://api.example.com' })
export async function makeImage(prompt: string): Promise<string | undefined> {
  try {
    const result = await client.run('aurora-image', { prompt }, { deadlineMs: 60_000 })
    return result.output.items[0]?.url
  } catch (error) {
    if (isJobFailedError(error)) return undefined
    throw error
  }
}
for await (const model of client.models.list({ category: 'text-to-image' })) console.log(model.id)
export const job = await client.jobs.get('job_1')
