/**
 * The reference server behind Mock Service Worker.
 *
 * @module
 */
export { type HandlersOptions, handlers, type MockedServer } from './handlers.ts'
