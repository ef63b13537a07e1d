/**
 * The sequence diagram of a job as a Preact component. Its styles are in `@modelrun/dashboard/diagram.css`.
 *
 * @module
 */

export type { Life } from './page/data/wire.ts'
export { Diagram } from './page/diagram/diagram.tsx'
