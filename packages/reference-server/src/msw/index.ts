/**
 * The reference server behind Mock Service Worker.
 *
 * @module
 */
export { type HandlersOptions, handlers } from './handlers.ts'
