import { Command, Option } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addFileOptions } from '../files/file-options.ts'
import { readDuration } from '../run/run-options.ts'
import { addServiceOptions, type ServiceOptions } from '../service/service-options.ts'
import type { JobOptions } from './show-job.ts'

/** `modelrun job` */
export function createJobCommand(context: CliContext): Command {
  const command = new Command('job')
    .description('show a job; without an id, the runs that were started here')
    .argument('[id]')
    .option('-w, --watch', 'wait for its end and save its files')
    .option('--timeout <duration>', 'stop waiting after this time, such as 90s or 10m', readDuration)
    .addOption(
      new Option('--on-interrupt <what>', 'what Ctrl-C does with the job')
        .choices(['detach', 'cancel'])
        .default('detach'),
    )
  addFileOptions(command)
  return addServiceOptions(command).action(
    actionOf(context, async (id: string | undefined, options: JobOptions) => {
      const { showJob, showLedger } = await import('./show-job.ts')
      return id === undefined ? showLedger(context) : showJob(id, options, context)
    }),
  )
}

/** `modelrun cancel` */
export function createCancelCommand(context: CliContext): Command {
  const command = new Command('cancel').description('cancel a job; it is not charged then').argument('<id>')
  return addServiceOptions(command).action(
    actionOf(context, async (id: string, options: ServiceOptions) => {
      const { cancelJob } = await import('./cancel-job.ts')
      return cancelJob(id, options, context)
    }),
  )
}
