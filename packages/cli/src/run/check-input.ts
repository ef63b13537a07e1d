import type { InputIssue, Model } from 'modelrun'
import { findInputIssues } from 'modelrun/models'
import { cleanText } from '../terminal/clean-text.ts'
import { namedFlag, type Parameter } from './parameter.ts'

/** An input of a run. It has no prototype: a parameter may have any name. */
export type RunInput = Record<string, unknown>

/** What an input is checked against. */
export interface InputRules {
  schema: Model['input_schema']
  parameters: readonly Parameter[]
}

/**
 * Everything in an input that the client would reject, by the flags of the command line. The client checks again; here the price
 * is not yet asked for.
 */
export function inputProblems({ schema, parameters }: InputRules, input: RunInput): string[] {
  return findInputIssues(schema, input).map((issue) => {
    const name = nameOf(issue)
    const parameter = parameters.find((one) => one.name === name)
    return cleanText(`${parameter === undefined ? name : namedFlag(parameter)}: ${sentence(issue.message)}`)
  })
}

/** A question has its mark already. */
function sentence(text: string): string {
  return text.endsWith('?') ? text : `${text}.`
}

/** The parameter that an issue is about: the pointer is a JSON pointer (RFC 6901) with one name. */
function nameOf({ pointer }: InputIssue): string {
  return pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
}
