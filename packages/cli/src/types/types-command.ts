import { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { createService } from '../service/create-client.ts'
import { addConnectionOptions, type ServiceOptions } from '../service/service-options.ts'

/** Options of `modelrun types`, as the command line has them. */
interface TypesCommandOptions extends ServiceOptions {
  all?: boolean | undefined
  out?: string | undefined
  check?: boolean | undefined
  json?: boolean | undefined
  open?: boolean | undefined
}

/** `modelrun types` */
export function createTypesCommand(context: CliContext): Command {
  const command = new Command('types')
    .description('write the input types of models into a file of a program')
    .argument('[ids...]', 'the models (default: those that the sources below this folder use)')
    .option('--all', 'every model of the catalog')
    .option('-o, --out <file>', 'the file: .d.ts or .ts (default: modelrun.models.d.ts)')
    .option('--check', 'compare the file with the catalog; exit code 1 when they differ')
    .option('--open', 'allow literal ids that the file does not have')
    .option('--json', 'write the schemas as data instead of types')
  return addConnectionOptions(command).action(
    actionOf(context, async (ids: string[], options: TypesCommandOptions) => {
      const { client } = await createService(options, context)
      const [{ runTypes }, { createFileIo }] = await Promise.all([import('./run-types.ts'), import('./file-io.ts')])
      const { all = false, out, check = false, json = false, open = false } = options
      const { terminal } = context
      const stdout = (text: string) => terminal.write(text)
      const stderr = (text: string) => terminal.say(text.replace(/\n$/, ''))
      return runTypes({ ids, all, out, check, json, open }, { client, ...createFileIo(process.cwd()), stdout, stderr })
    }),
  )
}
