import { fixtures } from '../fixtures.ts'
import { LIMITS } from '../limits.ts'
import { schemaReference } from './component-schemas.ts'
import { jsonContent } from './examples.ts'
import type { JsonObject } from './json-object.ts'

const ackSeconds = LIMITS.webhookAckMs / 1000

/** `webhooks`: the one delivery that the service makes (section 6). */
export function webhooks(): JsonObject {
  const { unknownStatus, ...shown } = fixtures.webhooks
  return {
    jobFinished: {
      post: {
        operationId: 'jobFinished',
        tags: ['Webhooks'],
        summary: 'Receive the result of a job',
        description:
          'Sent to the `webhook_url` of a run once its job has finished. A failed delivery is not retried, and duplicates ' +
          'are possible: `job_id` tells them. No signature is shown; the result can be checked by reading the job. ' +
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
          '2XX': { description: `Received. Answer within ${ackSeconds} seconds, and do heavy work afterwards.` },
        },
      },
    },
  }
}
