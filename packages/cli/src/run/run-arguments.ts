import { Command, Option } from 'commander'
import type { Model } from 'modelrun'
import { addRunOptions, type RunCommandOptions } from '../options.ts'
import { cleanText, priceText } from '../terminal/text.ts'
import type { InputRules, Parameter } from './parameters.ts'
import { boundsText, isSwitch, isUrlParameter, namedFlag, readParameters, typeLabel } from './parameters.ts'

export interface RunArguments extends InputRules {
  given: ReadonlyMap<string, string[]>
  options: RunCommandOptions
  readsStdin: boolean
}

/**
 * Reads what follows the id of a model.
 *
 * @param parent the command of all models, with the options that stood before the id
 * @throws CommanderError for a flag that the model does not have, and for `--help`, when it is printed
 */
export function readRunArguments(model: Model, rest: readonly string[], parent: Command): RunArguments {
  const modelCommand = createModelCommand(model)
  const { command, parameters, given } = modelCommand
  command.copyInheritedSettings(parent).parse(rest, { from: 'user' })
  const [operand] = command.args
  if (operand !== undefined && operand !== '-') takePrompt(modelCommand)
  // Options that stood before the id count, unless they are given again behind it.
  for (const [name, value] of Object.entries(parent.opts())) {
    const isGiven = parent.getOptionValueSource(name) === 'cli' && command.getOptionValueSource(name) !== 'cli'
    if (isGiven) command.setOptionValueWithSource(name, value, 'cli')
  }
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
function takePrompt({ command, parameters, given, add }: ModelCommand): void {
  const [text = '', more] = command.args
  const prompt = promptAmong(parameters)
  const flag = prompt === undefined ? 'the flag of its parameter' : namedFlag(prompt)
  if (more !== undefined) {
    command.error(`error: Unexpected argument "${more}" after "${text}". Put quotes around a value with spaces.`)
  }
  if (prompt === undefined) command.error(`error: Unexpected argument "${text}": put ${flag} before it.`)
  else if (given.has(prompt.name)) {
    command.error(`error: "${text}" has no flag, and ${flag} is given too. Put quotes around a value with spaces.`)
  } else add(prompt.name, text)
}

/** `prompt`, else the only text that a run must have. */
function promptAmong(parameters: readonly Parameter[]): Parameter | undefined {
  const texts = parameters.filter((parameter) => {
    return String(parameter.types) === 'string' && parameter.property.enum === undefined && !isUrlParameter(parameter)
  })
  const needed = texts.filter(({ isRequired, property }) => isRequired && property.default === undefined)
  return texts.find(({ name }) => name === 'prompt') ?? (needed.length === 1 ? needed[0] : undefined)
}

interface ModelCommand {
  command: Command
  parameters: readonly Parameter[]
  given: Map<string, string[]>
  add(name: string, text: string): void
}

/** Options of this command keep their names: those of a model have names of their own. */
class ParameterOption extends Option {
  override attributeName(): string {
    return `parameter ${this.flags}`
  }
}

/** Makes `modelrun run` for a model: its help shows the model. */
export function createModelCommand(model: Model): ModelCommand {
  const own = ownFlags(addRunOptions(new Command()))
  const parameters = readParameters(model, own)
  const command = new Command(`modelrun run ${cleanText(model.id)}`)
    .usage('[prompt] [parameters] [options]')
    .argument('[text...]', 'the prompt; - reads parameters as JSON from standard input')
    .helpOption('-h, --help', 'show the model')
  const given = new Map<string, string[]>()
  const add = (name: string, text: string) => {
    // An empty variable of a shell, without quotes, is not an argument at all.
    if (own.includes(text)) command.error(`error: ${text} is an option, not a value of ${name}: --input can have it.`)
    given.set(name, [...(given.get(name) ?? []), text])
  }
  for (const parameter of parameters) {
    for (const option of createOptions(parameter)) {
      command.addOption(option.argParser((text) => add(parameter.name, text)).helpGroup('Parameters:'))
    }
  }
  return { command: describe(addRunOptions(command), model, parameters), parameters, given, add }
}

/** What the command keeps for itself, in both directions of a switch. */
function ownFlags({ options }: Command): string[] {
  const own = ['--help', ...options.flatMap(({ long }) => long ?? [])]
  return own.flatMap((flag) => [flag, flag.replace(/^--no-/, '--'), flag.replace(/^--(no-)?/, '--no-')])
}

function createOptions(parameter: Parameter): Option[] {
  const { flag, property } = parameter
  if (flag === undefined) return []
  const text = [cleanText(property.description ?? ''), boundsText(parameter).replace(/^.+$/, '($&)')].join(' ').trim()
  if (!isSwitch(property)) return [new ParameterOption(`${flag} <${typeLabel(parameter)}>`, text)]
  return [
    new ParameterOption(`${flag} [boolean]`, text).preset('true'),
    new ParameterOption(`--no-${flag.slice(2)}`, text).hideHelp().preset('false'),
  ]
}

function describe(command: Command, model: Model, parameters: readonly Parameter[]): Command {
  const unflagged = parameters.filter(({ flag }) => flag === undefined)
  const others = unflagged.map((parameter) => `  ${cleanText(parameter.name)}  (${boundsText(parameter)})`)
  const more = others.length > 0 ? ['', 'Parameters that only --input can have:', ...others].join('\n') : ''
  const price = `A run costs ${priceText(model.pricing.credits_per_run)}.`
  return command
    .description(`${cleanText(model.name)}, ${cleanText(model.category)}: ${cleanText(model.description)}\n${price}`)
    .addHelpText('after', more)
}
