/**
 * The reference server behind node http.
 *
 * @module
 */

export { type DashboardPage, loadDashboard } from './dashboard.ts'
export { ListenError } from './errors.ts'
export { type ListeningServer, type ListenOptions, listen } from './listen.ts'
export { loadRecording } from './recording/recording-file.ts'
