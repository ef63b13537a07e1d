import { Command } from 'commander'
import type { CliContext } from '../cli-context.ts'
import { actionOf } from '../command-action.ts'
import { addRunOptions, type RunCommandOptions } from './run-options.ts'

const DETAILS = `
Parameters:
  They are options, made of the model's own schema. See them with \`modelrun run <id> --help\`.
  A list is given by repeating its option, an object as JSON, a switch as --name or --no-name.
  A file in place of a url is sent as a data URI.

Examples:
  modelrun run aurora-image 'a red fox'
  modelrun run aurora-image --prompt 'a red fox' --num-images 2 --out pictures
  modelrun run inkfield/restyle --image-url photo.png --prompt 'as a woodcut'
  echo '{"prompt":"a red fox"}' | modelrun run aurora-image -`

/** `modelrun run` */
export function createRunCommand(context: CliContext): Command {
  // What stands behind the id is read when the parameters of the model are known.
  const command = new Command('run')
    .description('run a model, wait for its end and save the files')
    .usage('<id> [prompt] [parameters] [options]')
    .argument('<id>', 'id of the model')
    .argument('[rest...]', 'its prompt, and parameters')
    .passThroughOptions()
    .addHelpText('after', DETAILS)
  return addRunOptions(command).action(
    actionOf(context, async (...[id, rest, , self]: [string, string[], RunCommandOptions, Command]) => {
      const { runModel } = await import('./run-model.ts')
      return runModel({ id, rest, command: self }, context)
    }),
  )
}
