// Three generated clients call the service; what they return has the types of the document.
import createClient from 'openapi-fetch'
import { client } from './hey-api-service/client.gen'
import { getJob as getJobWithHeyApi } from './hey-api-service/sdk.gen'
import { getJob as getJobWithOrval } from './orval-service/api'
import type { paths } from './service-types'

// The clients of the control API are there to be compiled.
export type { paths as controlPaths } from './control-types'
export * as heyApiControl from './hey-api-control/sdk.gen'
export * as orvalControl from './orval-control/api'

export async function jobStatuses(baseUrl: string, id: string): Promise<(string | undefined)[]> {
  client.setConfig({ baseUrl })
  const { data: heyApi } = await getJobWithHeyApi({ path: { id } })
  const { data: fetched } = await createClient<paths>({ baseUrl }).GET('/v1/jobs/{id}', { params: { path: { id } } })
  const orval = await getJobWithOrval(id)
  return [heyApi?.data.status, fetched?.data.status, orval.status === 200 ? orval.data.data.status : undefined]
}

export async function imageOf(baseUrl: string): Promise<string | undefined> {
  const service = createClient<paths>({ baseUrl })
  const path = { model: 'aurora-image' }
  // @ts-expect-error the input is missing
  void service.POST('/v1/models/{model}/run', { params: { path }, body: {} })
  // @ts-expect-error there is no such parameter
  void service.GET('/v1/models', { params: { query: { page: 2 } } })
  // @ts-expect-error there is no such path
  void service.GET('/v1/keys')
  const { data } = await service.POST('/v1/models/{model}/run', {
    params: { path },
    body: { input: { prompt: 'a fox' } },
  })
  return data?.status === 'completed' ? data.output.items[0]?.url : undefined
}
