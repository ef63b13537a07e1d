import { randomUUID } from 'node:crypto'
import { experimental_startVideo as startVideo } from 'ai'
import { errorResponse } from '../../../lib/error-response.ts'
import { getShared } from '../../../lib/modelrun.ts'

/** Starts a film and responds at once. The film comes to the webhook route, also when this process ends. */
export async function POST(request: Request): Promise<Response> {
  const { prompt } = await request.json()
  const { films, modelrun } = getShared()
  const id = randomUUID()
  try {
    const { providerMetadata } = await startVideo({
      model: modelrun.video('lumen/aurora-video'),
      prompt: String(prompt),
      duration: 4,
      providerOptions: { modelrun: { maxCredits: 100, webhookContext: { film: id } } },
    })
    const [{ jobId }] = Object(providerMetadata?.modelrun).jobs
    films.add(id, jobId)
    return Response.json({ id }, { status: 202 })
  } catch (error) {
    return errorResponse(error)
  }
}
