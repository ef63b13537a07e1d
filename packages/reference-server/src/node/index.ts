/**
 * The reference server behind node http.
 *
 * @module
 */

export { ListenError } from './errors.ts'
export { type ListeningServer, type ListenOptions, listen, type ServedServer } from './listen.ts'
