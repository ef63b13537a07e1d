/**
 * Effects that happen once, although a handler runs twice: a mark in the user's own database, in the transaction of the effect.
 * Works with every engine, and in handlers of webhooks.
 *
 * @module
 */
export type { MarksOptions } from './mark-checks.ts'
export type { Marks } from './marks-type.ts'
export { createMysqlMarks, type MysqlClient, type MysqlQuery } from './mysql-marks.ts'
export { createPostgresMarks, type PostgresClient, type PostgresQuery, type PostgresValue } from './postgres-marks.ts'
export { createSqliteMarks, type SqliteClient, type SqliteMarks } from './sqlite-marks.ts'
