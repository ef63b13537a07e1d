import { LIMITS, ROUTES } from '@modelrun/contract'
import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, itemsOf } from '../json.ts'

/** Reads a path below the base URL. */
export type Read = (path: string) => Promise<ApiResponse>

const MAX_PAGES = 20

/** The entries of a page. */
export function modelsOf(response: ApiResponse): readonly Record<string, unknown>[] {
  return itemsOf(at(response.json, '/models')).filter(isRecord)
}

/** All models, by pages of the largest size. */
export async function listAll(read: Read) {
  const pages: ApiResponse[] = []
  const models: Record<string, unknown>[] = []
  while (pages.length < MAX_PAGES) {
    const response = await read(`${ROUTES.listModels.path}?limit=${LIMITS.modelsPageMax}&offset=${models.length}`)
    pages.push(response)
    const more = modelsOf(response)
    models.push(...more)
    if (more.length < LIMITS.modelsPageMax) break
  }
  return { pages, models }
}
