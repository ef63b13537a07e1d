import type { Command } from 'commander'
import type { Model } from 'modelrun'
import type { InputRules } from './check-input.ts'
import { createModelOptions, type ModelCommand } from './model-options.ts'
import { isUrlParameter, namedFlag, type Parameter } from './parameter.ts'
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
  if (operand !== undefined && operand !== '-') takePrompt({ command, parameters, given })
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

/** A text without a flag is the one text that the model needs. */
function takePrompt({ command, parameters, given }: ModelCommand): void {
  const [text = '', more] = command.args
  const prompt = promptOf(parameters)
  const flag = prompt === undefined ? 'the flag of its parameter' : namedFlag(prompt)
  if (more !== undefined) {
    command.error(`error: "${more}" stands behind "${text}" without a flag. Put quotes around a value with spaces.`)
  }
  if (prompt === undefined) command.error(`error: "${text}" needs ${flag} before it.`)
  else if (given.has(prompt.name)) {
    command.error(`error: "${text}" has no flag, and ${flag} is given too. Put quotes around a value with spaces.`)
  } else given.set(prompt.name, [text])
}

/** `prompt`, else the only text that a run must have. */
function promptOf(parameters: readonly Parameter[]): Parameter | undefined {
  const texts = parameters.filter(
    (parameter) =>
      parameter.types.length === 1 &&
      parameter.types[0] === 'string' &&
      parameter.property.enum === undefined &&
      !isUrlParameter(parameter),
  )
  const needed = texts.filter(({ isRequired, property }) => isRequired && property.default === undefined)
  return texts.find(({ name }) => name === 'prompt') ?? (needed.length === 1 ? needed[0] : undefined)
}

/** Options that stood before the id count, unless they are given again behind it. */
function keepEarlierOptions(parent: Command, command: Command): void {
  for (const [name, value] of Object.entries(parent.opts())) {
    const isGiven = parent.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
    if (isGiven) command.setOptionValueWithSource(name, value, 'cli')
  }
}
