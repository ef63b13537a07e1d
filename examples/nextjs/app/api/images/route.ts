import { createModelRun } from '@modelrun/ai-sdk-provider'
import { generateImage } from 'ai'
import { errorResponse } from '../../../lib/error-response.ts'
import { getShared } from '../../../lib/modelrun.ts'

/** Responds with an image. When the page is closed before, the job is cancelled and costs nothing. */
export async function POST(request: Request): Promise<Response> {
  const { prompt } = await request.json()
  // Without the inbox: the result goes to the page alone. Below the time limit of the platform.
  const modelrun = createModelRun({ client: getShared().client, deadlineMs: 50_000 })
  try {
    const { image } = await generateImage({
      model: modelrun.image('aurora-image'),
      prompt,
      abortSignal: request.signal,
      providerOptions: { modelrun: { maxCredits: 10 } },
    })
    return new Response(new Uint8Array(image.uint8Array), { headers: { 'content-type': image.mediaType } })
  } catch (error) {
    return errorResponse(error)
  }
}
