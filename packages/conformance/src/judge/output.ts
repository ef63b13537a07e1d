import type { ApiResponse } from '../http/api-response.ts'
import { at, itemsOf } from '../json.ts'
import { every, type Finding } from './finding.ts'
import { hasObject, hasObjects, hasText, hasUrl } from './responses.ts'

/** Judges an output (section 2.5) that stands at a pointer of a response. */
export function hasOutput(response: ApiResponse, pointer: string): Finding {
  const items = itemsOf(at(response.json, `${pointer}/items`)).map((_, index) => `${pointer}/items/${index}`)
  return every([
    hasObject(response, pointer),
    hasText(response, `${pointer}/type`),
    hasObjects(response, `${pointer}/items`),
    ...items.flatMap((item) => [hasText(response, `${item}/type`), hasUrl(response, `${item}/url`)]),
  ])
}

/** The addresses of the files, as far as there are any. */
export function fileUrls(output: unknown): string[] {
  return itemsOf(at(output, '/items'))
    .map((item) => at(item, '/url'))
    .filter((url) => typeof url === 'string')
}
