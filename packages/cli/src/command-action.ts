import type { CliContext } from './cli-context.ts'
import type { ExitCode } from './exit-codes.ts'

/** Makes the action of a command: it sets `--json`, and the exit code. */
export function actionOf<Arguments extends unknown[]>(
  context: CliContext,
  run: (...args: Arguments) => Promise<ExitCode | undefined>,
): (...args: Arguments) => Promise<void> {
  return async (...args) => {
    context.exitCode = (await run(...args)) ?? context.exitCode
  }
}
