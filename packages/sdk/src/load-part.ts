import { ConnectionError } from './errors/transport-errors.ts'
import { textOf } from './observe/logger.ts'

/**
 * Loads a part of the client that few programs use, when it is first used. Texts of errors and all that a paid run needs are
 * never such a part: what loads them may fail with the network.
 *
 * @param jobId The job that the part is for: its result is not lost
 * @throws ConnectionError
 */
export async function loadPart<T>(load: () => Promise<T>, jobId?: string): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const rest =
      jobId === undefined
        ? 'Nothing was sent.'
        : `The job ${jobId} is not affected: \`jobs.attach('${jobId}').result()\` brings its result again.`
    throw new ConnectionError({
      message: `A part of modelrun could not be loaded: ${textOf(cause)}. ${rest} A page that is older than what its server has must be loaded again.`,
      cause,
      ...(jobId === undefined ? { submission: 'not_sent' } : { submission: 'accepted', jobId }),
    })
  }
}
