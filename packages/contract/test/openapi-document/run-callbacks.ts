import { fixtures } from '../../src/fixtures.ts'
import { LIMITS } from '../../src/limits.ts'
import { schemaReference } from './component-schemas.ts'
import { jsonContent } from './examples.ts'
import type { JsonObject } from './json-object.ts'

const ackSeconds = LIMITS.webhookAckMs / 1000

/** `callbacks` of a run: the one delivery that the service makes (section 6). */
export function runCallbacks(): JsonObject {
  const { unknownStatus, ...shown } = fixtures.webhooks
  const receiveResult = {
    operationId: 'jobFinished',
    tags: ['Webhooks'],
    summary: 'Receive the result of a job',
    description:
      'Sent to the `webhook_url` of a run once its job has finished. A failed delivery is not retried, and duplicates ' +
      'are possible: `job_id` identifies them. No signature is shown; the result can be checked by reading the job. ' +
      'Specification: section 6.',
    security: [],
    requestBody: {
      required: true,
      content: jsonContent(
        { anyOf: [schemaReference('WebhookDelivery'), schemaReference('CancelledDelivery')] },
        shown,
      ),
    },
    responses: {
      '2XX': { description: `Received. Respond within ${ackSeconds} seconds, and do heavy work afterwards.` },
      '4XX': { description: 'Every response that is not 2xx is a failed delivery. The service does not try again.' },
    },
  }
  return { jobFinished: { '{$request.body#/webhook_url}': { post: receiveResult } } }
}
