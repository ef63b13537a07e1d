/**
 * For tools that work with the schemas of models. A program needs none of it: `validateInput` checks the input of a run.
 *
 * @module
 */

export { findInputIssues } from '../client/runs/input-issues.ts'
export { checkInput } from '../client/runs/run-operation.ts'
