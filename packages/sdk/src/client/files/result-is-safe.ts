/** A sentence for errors about the file of a job: the job is paid for, and its result is still available. */
export function resultIsSafe(jobId: string): string {
  return ` The result of the job ${jobId} is not lost: \`client.jobs.attach('${jobId}').result()\` gives it again and costs nothing.`
}
