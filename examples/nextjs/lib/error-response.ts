import { APICallError, RetryError } from 'ai'

/** What a page may know of a failed call. `isCharged`: whether the run was paid, or may have been. */
export function errorResponse(thrown: unknown): Response {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown
  if (error instanceof Error && error.name === 'AbortError') return new Response(null, { status: 499 })
  console.error(error)
  const { submission }: { submission?: string } = APICallError.isInstance(error) ? Object(error.data) : {}
  const isCharged = submission === 'unknown' || submission === 'accepted'
  return Response.json({ isCharged }, { status: 502 })
}
