import type { InputSchema } from '@modelrun/contract'
import { inputIssues } from '@modelrun/kit'
import type { InputIssue } from '../errors/local-errors.ts'

/**
 * Finds everything in an input that does not fit the schema of a model (section 2.3), as `validateInput` does before a run.
 * Keywords of a schema that the section does not name are checked by the service only.
 *
 * @returns each problem with a JSON pointer to its parameter; none for an input that fits
 *
 * @example
 * const { input_schema } = await client.models.get('aurora-image')
 * for (const { pointer, message } of findInputIssues(input_schema, form)) showProblem(pointer, message)
 */
export function findInputIssues(schema: InputSchema, input: Readonly<Record<string, unknown>>): InputIssue[] {
  // A schema without parameters describes none of them.
  return inputIssues(schema, input, Object.keys(schema.properties).length === 0)
}
