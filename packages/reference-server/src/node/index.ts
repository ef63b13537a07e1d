/**
 * The reference server behind node http.
 *
 * @module
 */

export type { DashboardPage } from './dashboard.ts'
export { ListenError } from './errors.ts'
export { type ListeningServer, type ListenOptions, listen, type ServedServer } from './listen.ts'
