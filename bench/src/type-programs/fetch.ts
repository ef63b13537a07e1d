const response = await fetch('https://api.example.com/v1/jobs/job_1', { headers: { authorization: 'Bearer key' } })
// What every user of bare fetch does.
const job = (await response.json()) as { data: { status: string; output?: { items: { url: string }[] } } }
export const url: string | undefined = job.data.output?.items[0]?.url
