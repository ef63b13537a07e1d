/**
 * For tools that work with the schemas of models. A program needs none of it: `validateInput` checks the input of a run.
 *
 * @module
 */
export { checkInput } from '../runs/check-run.ts'
export { findInputIssues } from '../runs/input-issues.ts'
export { schemaHash } from './schema-hash.ts'
