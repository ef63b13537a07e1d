import { fstatSync } from 'node:fs'
import { UsageError } from './errors.ts'

/**
 * Standard input must be able to end with the parent: a file or nothing at all ends at once, and a terminal never does.
 *
 * @throws UsageError when it is not a pipe
 */
export function checkInput(): void {
  const input = fstatSync(0)
  if (input.isFIFO() || input.isSocket()) return
  throw new UsageError(
    '--exit-with-parent needs a pipe as standard input, which ends with the parent: stdin=subprocess.PIPE in Python, ' +
      "stdio: ['pipe', …] in Node.",
  )
}

/**
 * Calls `end` once standard input has ended: its other side was closed, or the process that held it is gone. An input
 * that is still open does not keep this process alive.
 */
function onInputEnd(end: () => void): void {
  process.stdin.once('end', end).once('error', end).resume()
  process.stdin.unref()
}

/** Calls `stop` for a signal, or with the parent. A second signal ends the process the hard way, should stopping ever take too long. */
export function onStop(stop: () => void, exitWithParent = false): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  if (exitWithParent) onInputEnd(stop)
}
