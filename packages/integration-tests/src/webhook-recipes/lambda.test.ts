import type {
  ALBEvent,
  ALBHandler,
  APIGatewayProxyEvent,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  Context,
  LambdaFunctionURLHandler,
} from 'aws-lambda'
import { ModelRun } from 'modelrun'
import { createInbox, type LambdaEvent, type LambdaHandler, type SucceededEvent } from 'modelrun/webhooks'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createCheckedServer } from '../openapi/checked-server.ts'

const WEBHOOK_URL = 'https://app.example.com/webhooks'

/** Events as the services of AWS make them of a request. */
const EVENTS: Record<string, (url: URL, body: string) => LambdaEvent> = {
  'a REST API': (url, body) => ({
    httpMethod: 'POST',
    path: url.pathname,
    queryStringParameters: Object.fromEntries(url.searchParams),
    headers: { 'Content-Type': 'application/json' },
    multiValueHeaders: { 'Content-Type': ['application/json'] },
    body,
    isBase64Encoded: false,
  }),
  'an HTTP API or a function URL': (url, body) => ({
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers: { 'content-type': 'application/json' },
    requestContext: { http: { method: 'POST' } },
    body: btoa(body),
    isBase64Encoded: true,
  }),
  'a load balancer': (url, body) => ({
    httpMethod: 'POST',
    path: url.pathname,
    multiValueQueryStringParameters: { modelrun_token: url.searchParams.getAll('modelrun_token') },
    multiValueHeaders: { 'content-type': ['application/json'] },
    body,
    isBase64Encoded: false,
  }),
}

describe.each(Object.entries(EVENTS))('a Lambda function behind %s', (_, makeEvent) => {
  test('has handled a result when it responds (section 6)', async () => {
    const handled: SucceededEvent[] = []
    const handledAtResponse: number[] = []
    await using server = createCheckedServer({
      deliver: async (url, init) => {
        const { statusCode, body } = await handler(makeEvent(new URL(url), String(init.body)))
        handledAtResponse.push(handled.length)
        return new Response(body, { status: statusCode })
      },
    })
    const client = new ModelRun(server.clientOptions())
    const inbox = createInbox({
      client,
      secret: 'a secret of thirty-two bytes, or more',
      publicUrl: WEBHOOK_URL,
      onSucceeded: (event) => void handled.push(event),
    })
    const handler = inbox.lambda()
    const webhookUrl = await inbox.callbackUrl()
    const job = await client.submit('aurora-image', { prompt: 'a fox' }, { webhookUrl })
    expect(await server.webhooks.next()).toMatchObject({ outcome: 'delivered', status: 202 })
    expect(handled).toMatchObject([{ job_id: job.id, status: 'succeeded' }])
    expect(handledAtResponse).toEqual([1])
    const malformed = await handler(makeEvent(new URL(webhookUrl), '{"job_id":'))
    expect(malformed).toMatchObject({ statusCode: 400, headers: { 'content-type': 'application/json' } })
    expect(await handler(makeEvent(new URL(WEBHOOK_URL), '{}'))).toMatchObject({ statusCode: 401 })
  })
})

test('the handler fits where the types of AWS ask for one', () => {
  type Fits<Handler extends (event: never, context: Context, callback: never) => unknown> = (
    event: Parameters<Handler>[0],
    context: Context,
  ) => Promise<Exclude<Awaited<ReturnType<Handler>>, undefined>>
  expectTypeOf<LambdaHandler>().toExtend<Fits<APIGatewayProxyHandler>>()
  expectTypeOf<LambdaHandler>().toExtend<Fits<APIGatewayProxyHandlerV2>>()
  expectTypeOf<LambdaHandler>().toExtend<Fits<LambdaFunctionURLHandler>>()
  expectTypeOf<LambdaHandler>().toExtend<Fits<ALBHandler>>()
  expectTypeOf<APIGatewayProxyEvent>().toExtend<LambdaEvent>()
  expectTypeOf<ALBEvent>().toExtend<LambdaEvent>()
})
