import { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addServiceOptions } from '../service/service-options.ts'
import type { ModelsOptions } from './list-models.ts'

/** `modelrun models` */
export function createModelsCommand(context: CliContext): Command {
  const command = new Command('models')
    .description('list the models')
    .option('--search <text>', 'only models whose name or description has this text')
    .option('--category <name>', 'only models of this category, such as text-to-image')
  return addServiceOptions(command).action(
    actionOf(context, async (options: ModelsOptions) => {
      const { listModels } = await import('./list-models.ts')
      return listModels(options, context)
    }),
  )
}
