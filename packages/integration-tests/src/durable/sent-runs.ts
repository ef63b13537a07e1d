import type { ReferenceServer } from '@modelrun/reference-server'

interface SentRun {
  input: { prompt: string }
}

/** The runs that reached the service. One whose connection broke before its body was read is not among them. */
function sentRuns(server: ReferenceServer): { prompt: string; jobId: string | undefined }[] {
  const requests = server.requests({ route: 'runModel' }).filter(({ body }) => body !== undefined)
  return requests.map(({ body, job_id: jobId }) => ({ prompt: (body as SentRun).input.prompt, jobId })) // as tests send it
}

/** How often each prompt was sent. */
export function posts(server: ReferenceServer): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { prompt } of sentRuns(server)) counts[prompt] = (counts[prompt] ?? 0) + 1
  return counts
}

/** How many runs were sent. */
export function countPosts(server: ReferenceServer): number {
  return sentRuns(server).length
}

/** The job of the run with this prompt, when the service has one. */
export function jobOf(server: ReferenceServer, prompt: string): string | undefined {
  return sentRuns(server).find((run) => run.prompt === prompt)?.jobId
}
