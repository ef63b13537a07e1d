import ky from 'ky'
import * as z from 'zod/mini'

const jobSchema = z.looseObject({
  data: z.looseObject({
    status: z.string(),
    output: z.optional(z.looseObject({ items: z.array(z.looseObject({ url: z.string() })) })),
  }),
})
const job = jobSchema.parse(await ky('https://api.example.com/v1/jobs/job_1').json())
export const url: string | undefined = job.data.output?.items[0]?.url
