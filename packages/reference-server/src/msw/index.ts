/**
 * The reference server behind Mock Service Worker.
 *
 * @module
 */
export { handlers } from './handlers.ts'
