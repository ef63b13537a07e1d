import { getShared } from '../../../../lib/modelrun.ts'

/** For pages that run models themselves: see `app/draw/page.tsx`. */
const handle = (request: Request): Promise<Response> => getShared().proxy.handle(request)

export { handle as DELETE, handle as GET, handle as POST }

export const maxDuration = 90
