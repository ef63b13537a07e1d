import { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addServiceOptions, type ServiceOptions } from '../service/service-options.ts'

/** `modelrun model` */
export function createModelCommand(context: CliContext): Command {
  const command = new Command('model').description('show a model: parameters, price, example').argument('<id>')
  return addServiceOptions(command).action(
    actionOf(context, async (id: string, options: ServiceOptions) => {
      const { showModel } = await import('./show-model.ts')
      return showModel(id, options, context)
    }),
  )
}
