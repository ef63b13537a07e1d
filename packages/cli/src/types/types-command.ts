import type { CliContext, ExitCode } from '../context.ts'
import type { ConnectionOptions } from '../options.ts'
import { createService } from '../service/service.ts'
import { runTypes, type TypesOptions } from './run-types.ts'
import { createFileIo } from './sources.ts'

/** Options of `modelrun types`. */
export interface TypesCommandOptions extends ConnectionOptions, TypesOptions {}

/** Runs `modelrun types` on the files of the current folder. */
export async function runTypesCommand(
  ids: readonly string[],
  options: TypesCommandOptions,
  context: CliContext,
): Promise<ExitCode> {
  const { client } = await createService(options, context)
  const { terminal } = context
  const print = (line: string) => terminal.write(`${line}\n`)
  const say = (line: string) => terminal.say(line)
  return runTypes(ids, options, { client, ...createFileIo(process.cwd()), print, say })
}
