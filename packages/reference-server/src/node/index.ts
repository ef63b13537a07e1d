/**
 * The reference server behind node http.
 *
 * @module
 */

export { loadDashboard } from './dashboard.ts'
export { ListenError } from './errors.ts'
export { type ListeningServer, listen } from './listen.ts'
export { loadRecording } from './recording-file.ts'
