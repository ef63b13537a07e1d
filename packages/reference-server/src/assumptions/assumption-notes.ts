import type { AssumptionNote } from './assumption-note.ts'
import { ENDPOINT_ASSUMPTIONS } from './assumption-notes-endpoints.ts'
import { SERVICE_ASSUMPTIONS } from './assumption-notes-service.ts'

/** Everything that the server does although the specification does not say so. */
export const ASSUMPTION_NOTES: readonly AssumptionNote[] = [...ENDPOINT_ASSUMPTIONS, ...SERVICE_ASSUMPTIONS]
