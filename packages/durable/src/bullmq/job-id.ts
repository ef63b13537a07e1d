/** BullMQ rejects ids that are integers or contain a colon. The dot keeps them apart from its own keys. */
export function toJobId(id: string): string {
  return `.${encodeURIComponent(id)}`
}

export function fromJobId(jobId: string): string {
  return decodeURIComponent(jobId.slice(1))
}

export function isJobId(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('.')
}
