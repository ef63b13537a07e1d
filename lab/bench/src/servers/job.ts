import { Hono } from 'hono'

/** Where the peers have their one job. */
export const JOB_PATH = '/v1/jobs/job_bench'

/** The response of the peers: as much as the reference server does for a run of one image. */
export const JOB_BODY = {
  data: {
    status: 'succeeded',
    output: {
      type: 'image',
      items: [{ type: 'image', url: 'http://127.0.0.1:40100/files/job_0123456789abcdefghijklmn/0.png' }],
    },
  },
}

export function bareHono(): Hono {
  return new Hono().get('/v1/jobs/:id', (context) => context.json(JOB_BODY))
}
