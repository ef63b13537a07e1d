import ky from 'ky'

interface Job {
  data: { status: string; output?: { items: { url: string }[] } }
}
const job = await ky('https://api.example.com/v1/jobs/job_1').json<Job>()
export const url: string | undefined = job.data.output?.items[0]?.url
