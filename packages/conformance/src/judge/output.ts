import type { ApiResponse } from '../http/api-response.ts'
import { at, isRecord, itemsOf, show } from '../json.ts'
import { every, type Finding, fail, judge, skip } from './finding.ts'
import { hasObject, hasText } from './responses.ts'

/** Judges the parts of an output (section 2.5) that stands at a pointer of a response. */
const outputJudges = {
  object: (response: ApiResponse, pointer: string): Finding => hasObject(response, pointer),
  type: (response: ApiResponse, pointer: string): Finding => hasText(response, `${pointer}/type`),
  items: (response: ApiResponse, pointer: string): Finding => {
    const items = at(response.json, `${pointer}/items`)
    const isRight = Array.isArray(items) && items.every(isRecord)
    return judge(isRight, `${pointer}/items is ${show(items)}; expected an array of objects`, response)
  },
  itemTypes: (response: ApiResponse, pointer: string): Finding =>
    everyItem(response, pointer, (item) => hasText(response, `${item}/type`)),
  itemUrls: (response: ApiResponse, pointer: string): Finding =>
    everyItem(response, pointer, (item) => {
      const url = at(response.json, `${item}/url`)
      const isRight = typeof url === 'string' && URL.canParse(url)
      return judge(isRight, `${item}/url is ${isRight ? 'a url' : show(url)}; expected an absolute url`, response)
    }),
}

/** Judges a whole output. */
export function hasOutput(response: ApiResponse, pointer: string): Finding {
  const judges = Object.values(outputJudges)
  return every(judges.map((judgePart) => judgePart(response, pointer)))
}

function everyItem(response: ApiResponse, pointer: string, judgeItem: (item: string) => Finding): Finding {
  const items = at(response.json, `${pointer}/items`)
  if (!Array.isArray(items)) return fail(`${pointer}/items is ${show(items)}; expected an array`, response)
  if (items.length === 0) return skip(`${pointer}/items is empty`, response)
  return every(items.map((_, index) => judgeItem(`${pointer}/items/${index}`)))
}

/** The addresses of the files, as far as there are any. */
export function fileUrls(output: unknown): string[] {
  return itemsOf(at(output, '/items'))
    .map((item) => at(item, '/url'))
    .filter((url) => typeof url === 'string')
}
