import type { Command } from 'commander'
import type { Model } from 'modelrun'
import type { InputRules } from './check-input.ts'
import { createModelOptions } from './model-options.ts'
import type { RunCommandOptions } from './run-options.ts'

/** The command line of a run, read with the parameters of its model. */
export interface RunArguments extends InputRules {
  /** The texts that were given, by the name of the parameter. */
  given: ReadonlyMap<string, string[]>
  options: RunCommandOptions
  readsStdin: boolean
}

/**
 * Reads what stands behind the id of a model.
 *
 * @param parent the command of all models, with the options that stood before the id
 * @throws CommanderError for a flag that the model does not have, and for `--help`, when it is printed
 */
export function readRunArguments(model: Model, rest: readonly string[], parent: Command): RunArguments {
  const { command, parameters, given } = createModelOptions(model)
  command.copyInheritedSettings(parent).parse(rest, { from: 'user' })
  const [operand] = command.args
  if (operand !== undefined && operand !== '-') {
    command.error(`error: "${operand}" is not an option. Put quotes around a value with spaces.`)
  }
  keepEarlierOptions(parent, command)
  const options = command.opts<RunCommandOptions>()
  return {
    schema: model.input_schema,
    parameters,
    given,
    options,
    readsStdin: operand === '-' || options.input === '-',
  }
}

/** Options that stood before the id count, unless they are given again behind it. */
function keepEarlierOptions(parent: Command, command: Command): void {
  for (const [name, value] of Object.entries(parent.opts())) {
    const isGiven = parent.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
    if (isGiven) command.setOptionValueWithSource(name, value, 'cli')
  }
}
