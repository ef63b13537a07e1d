/**
 * The reference server behind node http.
 *
 * @module
 */
export { ListenError, type ListeningServer, type ListenOptions, listen, type ServedServer } from './listen.ts'
