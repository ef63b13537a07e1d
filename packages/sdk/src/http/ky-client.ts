import ky, { type KyInstance } from 'ky'
import type { ResolvedOptions } from '../options.ts'

/**
 * ky for one client: it builds the requests and runs the retries. What it would decide without asking is told it here.
 */
export function createKy(client: ResolvedOptions): KyInstance {
  return (client.ky ?? ky).extend({
    prefix: client.baseUrl,
    // Following a redirect would take the key, or a second POST, to another place.
    redirect: 'manual',
    // ky's timer ends with the head, and knows no clock but the system's: `sendAttempt` has one over head and body.
    timeout: false,
    totalTimeout: false,
  })
}
