import { Command, Option } from 'commander'
import type { Model } from 'modelrun'
import { exampleCalls } from '../models/example-calls.ts'
import { priceText } from '../models/price-text.ts'
import { cleanText } from '../terminal/clean-text.ts'
import { isSwitch, type Parameter, parametersOf } from './parameter.ts'
import { describeParameter, typeLabel } from './parameter-text.ts'
import { addRunOptions } from './run-options.ts'

/** The command line of one model: its parameters are options. */
export interface ModelCommand {
  command: Command
  parameters: readonly Parameter[]
  /** The texts that were given, by the name of the parameter. */
  given: Map<string, string[]>
}

/** Options of this command keep their names: those of a model have names of their own. */
class ParameterOption extends Option {
  override attributeName(): string {
    return `parameter ${this.flags}`
  }
}

/** Makes the options of `modelrun run` for a model. */
export function createModelOptions(model: Model): ModelCommand {
  const parameters = parametersOf(model, flagsOf(addRunOptions(new Command())))
  const command = new Command(`modelrun run ${cleanText(model.id)}`)
    .usage('[prompt] [parameters] [options]')
    .argument('[text...]', 'the prompt; - reads parameters as JSON from standard input')
    .helpOption('-h, --help', 'show the model')
  const given = new Map<string, string[]>()
  for (const parameter of parameters) {
    const collect = (text: string) => given.set(parameter.name, [...(given.get(parameter.name) ?? []), text])
    for (const option of optionsOf(parameter)) {
      command.addOption(option.argParser(collect).helpGroup('Parameters:'))
    }
  }
  return { command: describe(addRunOptions(command), model, parameters), parameters, given }
}

/** What the command keeps for itself, in both directions of a switch. */
function flagsOf({ options }: Command): string[] {
  const own = ['--help', ...options.flatMap(({ long }) => long ?? [])]
  return own.flatMap((flag) => [flag, flag.replace(/^--no-/, '--'), flag.replace(/^--(no-)?/, '--no-')])
}

function optionsOf(parameter: Parameter): Option[] {
  const { flag, name, property } = parameter
  if (flag === undefined) return []
  const spellings = [flag, ...(flag === `--${name}` ? [] : [`--${name}`])]
  if (!isSwitch(property)) {
    return spellings.map((long, index) => optionOf(`${long} <${typeLabel(parameter)}>`, parameter, index > 0))
  }
  return spellings.flatMap((long, index) => [
    optionOf(`${long} [boolean]`, parameter, index > 0).preset('true'),
    optionOf(`--no-${long.slice(2)}`, parameter, true).preset('false'),
  ])
}

/** The spelling of the wire is there too, and not shown. */
function optionOf(flags: string, parameter: Parameter, isHidden: boolean): Option {
  return new ParameterOption(flags, describeParameter(parameter)).hideHelp(isHidden)
}

function describe(command: Command, model: Model, parameters: readonly Parameter[]): Command {
  const price = `A run costs ${priceText(model.pricing.credits_per_run)}.`
  const unflagged = parameters.filter(({ flag }) => flag === undefined)
  const others = unflagged.map(
    (parameter) => `  --param ${cleanText(parameter.name)}=…  ${describeParameter(parameter)}`,
  )
  const text = ['', ...(others.length > 0 ? ['More parameters:', ...others, ''] : [])]
  const { cli } = exampleCalls(model, parameters)
  return command
    .description(`${cleanText(model.name)}: ${cleanText(model.description)}\n${price}`)
    .addHelpText('after', [...text, 'Example:', `  ${cleanText(cli)}`].join('\n'))
}
