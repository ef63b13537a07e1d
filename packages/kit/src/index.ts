/**
 * What several packages need and is not about the wire: it becomes part of each of them.
 *
 * @module
 */
export { closestName } from './closest-name.ts'
export { seededRandom } from './seeded-random.ts'
export { isRecord, jsonPointer, memberOf, messageWithCause, tryParseJson } from './values.ts'
