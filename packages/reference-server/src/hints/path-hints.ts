import { ROUTES, type Route } from '@modelrun/contract'
import { closestName } from '../domain/closest-name.ts'
import { decoded, type HintContext, pathOf } from './hint-scene.ts'

const ALL_ROUTES: readonly Route[] = Object.values(ROUTES)

/** Which request was probably meant, when no route takes it. */
export function pathHints(context: HintContext): string[] {
  const { trace, status, request } = context
  if (trace.route !== undefined || (status !== 404 && status !== 405)) return []
  const path = pathOf(context)
  const segments = segmentsOf(path)
  const meant = routesFor(segments)
  if (meant.length === 0) return []
  const sameMethod = meant.filter(({ method }) => method === request.method)
  const routes = (sameMethod.length > 0 ? sameMethod : meant).map(({ method, path }) => `${method} ${path}`)
  return [...doubleVersion(path), `Did you mean ${routes.join(' or ')}?`]
}

function doubleVersion(path: string): string[] {
  return /^\/v1\/+v1\//.test(path) ? ['The path has /v1 twice: the base address is given without it.'] : []
}

/** Segments as they were probably meant: one `v1` in front, nothing empty. */
function segmentsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  while (/^v\d+$/i.test(segments[0] ?? '')) segments.shift()
  return ['v1', ...segments.map(decoded)]
}

function routesFor(segments: readonly string[]): Route[] {
  const exact = ALL_ROUTES.filter((route) => fits(templateOf(route), segments))
  if (exact.length > 0) return exact
  // A verb at the end, as in `/v1/jobs/{id}/cancel`.
  return segments.at(-1) === 'cancel'
    ? [ROUTES.cancelJob].filter((route) => fits(templateOf(route), segments.slice(0, -1)))
    : []
}

function templateOf({ path }: Route): string[] {
  return path.split('/').slice(1)
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part.startsWith('{') || isAlmost(part, segments[index] ?? ''))
  )
}

function isAlmost(part: string, segment: string): boolean {
  return segment.toLowerCase() === part || closestName(segment, [part]) !== undefined
}
