/**
 * A vitest `test` with a reference server for each test.
 *
 * @module
 */
export { createTest, type ServerTest, test } from './create-test.ts'
