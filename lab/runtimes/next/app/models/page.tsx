import { ModelRun } from 'modelrun'

/** The build fails when the error of `fetch` by which Next.js makes a page dynamic does not come through the client. */
export default async function Page() {
  const client = new ModelRun({ apiKey: 'sk_test_build', baseUrl: 'https://api.example.com' })
  return <p>{(await client.models.list()).total}</p>
}
