import type { Model } from 'modelrun'
import { namedFlag, type Parameter } from '../run/parameter.ts'
import { boundsText, typeLabel } from '../run/parameter-text.ts'
import { cleanText } from '../terminal/clean-text.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrapText } from '../terminal/wrap-text.ts'
import { exampleCalls } from './example-calls.ts'
import { priceText } from './price-text.ts'

/** What a model is, takes and costs, as lines for people. */
export function modelLines(model: Model, parameters: readonly Parameter[], terminal: Terminal): string[] {
  const width = Math.min(terminal.columns, 100)
  const { sdk, cli } = exampleCalls(model, parameters)
  return [
    `${terminal.style('bold', cleanText(model.id))}  ${cleanText(model.name)}, ${cleanText(model.category)}`,
    ...wrapText(cleanText(model.description), width),
    `A run costs ${priceText(model.pricing.credits_per_run)}.`,
    '',
    terminal.style('bold', 'Parameters:'),
    ...parameters.flatMap((parameter) => parameterLines(parameter, width)),
    '',
    terminal.style('bold', 'Example:'),
    `  ${cleanText(cli)}`,
    `  ${cleanText(sdk)}`,
  ]
}

function parameterLines(parameter: Parameter, width: number): string[] {
  const { property } = parameter
  const bounds = boundsText(parameter)
  const texts = [cleanText(property.description ?? ''), bounds].filter((text) => text !== '')
  return [
    `  ${cleanText(namedFlag(parameter))} <${typeLabel(parameter)}>`,
    ...texts.flatMap((text) => wrapText(text, width - 6).map((line) => `      ${line}`)),
  ]
}
