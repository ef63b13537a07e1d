import type { Film } from '../../../../lib/films.ts'
import { getShared } from '../../../../lib/modelrun.ts'

interface Context {
  params: Promise<{ id: string }>
}

/** The state of a film: of its job, until the webhook has brought it. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  const film = getShared().films.get(id)
  if (film === undefined) return new Response(null, { status: 404 })
  return Response.json(await stateOf(film))
}

/** Cancels a film. Cancelled jobs are not charged. */
export async function DELETE(_request: Request, { params }: Context): Promise<Response> {
  const { id } = await params
  const { client, films } = getShared()
  const film = films.get(id)
  if (film === undefined) return new Response(null, { status: 404 })
  await client.jobs.cancel(film.jobId)
  films.end(id, { ...film, error: 'cancelled' })
  return new Response(null, { status: 204 })
}

async function stateOf({ jobId, url, error }: Film): Promise<object> {
  if (url !== null) return { status: 'succeeded', url }
  if (error !== null) return { status: 'failed', error }
  const { status } = await getShared().client.jobs.get(jobId)
  return { status: status === 'succeeded' ? 'processing' : status }
}
