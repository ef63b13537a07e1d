import { ROUTES, type Route } from '@modelrun/contract'
import { closestName } from '@modelrun/kit'

const ALL_ROUTES: readonly Route[] = Object.values(ROUTES)

/** The endpoint that a path which has none was probably meant for, such as `GET /v1/models/{id}`. */
export function closestRoute(method: string, path: string): string | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  while (/^v\d+$/i.test(segments[0] ?? '')) segments.shift()
  const meant = ALL_ROUTES.filter(({ path }) => isAlmost(path.split('/').slice(2), segments))
  const route = meant.find((one) => one.method === method) ?? meant[0]
  return route && `${route.method} ${route.path}`
}

function isAlmost(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part.startsWith('{') || closestName(segments[index] ?? '', [part]) === part)
  )
}
