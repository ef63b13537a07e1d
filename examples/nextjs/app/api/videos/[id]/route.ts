import { getShared } from '../../../../lib/modelrun.ts'
import type { Video } from '../../../../lib/videos.ts'

interface Context {
  params: Promise<{ id: string }>
}

/** The state of a video: of its job, until the webhook has brought it. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  const video = getShared().videos.get(id)
  if (video === undefined) return new Response(null, { status: 404 })
  return Response.json(await stateOf(video))
}

/** Cancels a video. Cancelled jobs are not charged. */
export async function DELETE(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  const { client, videos } = getShared()
  const video = videos.get(id)
  if (video === undefined) return new Response(null, { status: 404 })
  const { status } = await client.jobs.cancel(video.jobId)
  // It may have ended before: then its webhook brings the video.
  if (status === 'cancelled') videos.end(id, { ...video, error: status })
  return new Response(null, { status: 204 })
}

async function stateOf({ jobId, url, error }: Video): Promise<object> {
  if (url !== null) return { status: 'succeeded', url }
  if (error !== null) return { status: 'failed', error }
  const { status } = await getShared().client.jobs.get(jobId)
  return { status: status === 'succeeded' ? 'processing' : status }
}
