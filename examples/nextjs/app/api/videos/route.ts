import { randomUUID } from 'node:crypto'
import { experimental_startVideo as startVideo } from 'ai'
import { errorResponse } from '../../../lib/error-response.ts'
import { getShared } from '../../../lib/modelrun.ts'

/** Starts a video and responds at once. The video comes to the webhook route, also when this process ends. */
export async function POST(request: Request): Promise<Response> {
  const { prompt } = await request.json()
  const { videos, modelrun } = getShared()
  const id = randomUUID()
  try {
    const { providerMetadata } = await startVideo({
      model: modelrun.video('lumen/aurora-video'),
      prompt,
      duration: 4,
      providerOptions: { modelrun: { maxCredits: 100, webhookContext: { video: id } } },
    })
    const [{ jobId }] = Object(providerMetadata?.modelrun).jobs
    videos.add(id, jobId)
    return Response.json({ id }, { status: 202 })
  } catch (error) {
    return errorResponse(error)
  }
}
