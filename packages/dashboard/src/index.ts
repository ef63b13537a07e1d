/**
 * The page of the reference server, as files to serve.
 *
 * @module
 */

export { createDashboard, type Dashboard, type DashboardOptions } from './dashboard.ts'
