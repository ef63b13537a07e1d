import { open, readFile, realpath, rm } from 'node:fs/promises'
import { UsageError } from './errors.ts'

const OWN_START = Math.round(performance.timeOrigin)

/** The right to write a file, for one server at a time: a file beside it with the process id of its holder. */
export interface StateLock {
  release(): Promise<void>
}

/**
 * Takes the lock of a state file.
 *
 * @throws UsageError when another server on this machine holds it, or the folder cannot be written
 */
export async function lockFile(target: string): Promise<StateLock> {
  const file = await realpath(target).catch(() => target)
  const path = `${file}.lock`
  const name = `The state ${file}`
  const found = await readFile(path, 'utf8').catch(() => '')
  if (!/^(\d+ \d+)?$/.test(found)) {
    throw new UsageError(`${name} cannot be locked: ${path} is there, and is not a lock. Remove it.`)
  }
  const [id = 0, startedAt = 0] = found.split(' ').map(Number)
  if (isRunning(id, startedAt)) {
    const advice = `Stop it, or give each server a file of its own. If it is another program, remove ${path}.`
    throw new UsageError(`${name} is in use: the server with the process id ${id} writes it. ${advice}`)
  }
  try {
    if (found !== '') await rm(path, { force: true }) // of a server that was killed
    const lock = await open(path, 'wx', 0o600)
    await lock.writeFile(`${process.pid} ${OWN_START}`)
    await lock.close()
  } catch (error) {
    throw new UsageError(`${name} cannot be written: ${error instanceof Error ? error.message : error}`)
  }
  return { release: () => rm(path, { force: true }) }
}

/** In a container that was started again, the process before had the same id. */
function isRunning(id: number, startedAt: number): boolean {
  if (id === 0 || id === process.pid) return startedAt === OWN_START
  try {
    return process.kill(id, 0) // asks whether it is there
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it is of another user
  }
}
