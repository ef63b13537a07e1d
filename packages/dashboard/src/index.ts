/**
 * The page of the reference server, as files to serve.
 *
 * @module
 */

export { createDashboard, type Dashboard } from './dashboard.ts'
