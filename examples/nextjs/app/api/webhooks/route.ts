import { getShared } from '../../../lib/modelrun.ts'

export const POST = (request: Request): Promise<Response> => getShared().inbox.handle(request)
