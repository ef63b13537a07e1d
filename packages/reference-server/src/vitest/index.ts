/**
 * A vitest `test` with a reference server for each test.
 *
 * @module
 */
export {
  type CreateTestOptions,
  createTest,
  type InboxSetting,
  type InboxTest,
  type InboxTestOptions,
  type ServerTest,
  test,
} from './create-test.ts'
