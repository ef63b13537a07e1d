import { abortable, type Clock, openScope } from '../shared/clock.ts'

/** Settles like the work of the application, or rejects when it takes longer. It may also throw at once, or return no promise. */
export async function withinTime<T>(
  { clock, limitMs, name }: { clock: Clock; limitMs: number; name: string },
  work: () => T,
): Promise<Awaited<T>> {
  const scope = openScope({ clock, signal: undefined, deadlineMs: limitMs })
  try {
    return await abortable((async () => await work())(), scope.signal)
  } catch (error) {
    if (!scope.signal.aborted) throw error
    throw new Error(`${name} did not return within ${limitMs / 1_000} s.`)
  } finally {
    scope.close()
  }
}
