import { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addServiceOptions, type ServiceOptions } from '../service/service-options.ts'

/** `modelrun doctor` */
export function createDoctorCommand(context: CliContext): Command {
  const command = new Command('doctor').description('check key, permissions, url, clock and Node; costs nothing')
  return addServiceOptions(command).action(
    actionOf(context, async (options: ServiceOptions) => {
      const { runDoctor } = await import('./run-doctor.ts')
      return runDoctor(options, context)
    }),
  )
}
